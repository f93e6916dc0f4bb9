//! Runs one hot path of the core so often that its instructions can be counted:
//!
//! ```sh
//! cargo build --release --example hot_paths --no-default-features
//! valgrind --tool=callgrind --callgrind-out-file=/dev/null target/release/examples/hot_paths \
//!   <path> <times> <tools.jsonl> <queries.jsonl>
//! ```
//!
//! Paths: `set` (the catalogue is set once, whatever the times), `rank`, `change` (one tool changes, then a request is
//! ranked). What a path costs by itself is the difference of two numbers of times.

use std::collections::BTreeMap;
use std::io::Error;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use serde_json::Value;
use tool_router::catalogue::ServerPath;
use tool_router::catalogue::mcp::{McpServer, McpTool};
use tool_router::router::{RankOptions, ToolRouter};

/// What the thread that makes tables takes at most, under valgrind as well.
const TABLES: Duration = Duration::from_secs(6);
/// Requests before those that are counted.
const WARMING: usize = 50;

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [path, times, tools, queries] = arguments.as_slice() else {
        return Err(Error::other("usage: hot_paths set|rank|change <times> <tools.jsonl> <queries.jsonl>"));
    };
    let times: usize = times.parse().map_err(Error::other)?;
    let servers = servers(tools)?;
    let queries: Vec<String> = lines(queries)?.iter().map(|line| text(line, "query")).collect();
    let router = ToolRouter::new();
    router.set_servers(servers.clone(), true, ServerPath::List("servers")).map_err(Error::other)?;
    let options = RankOptions { top_k: Some(10), ..RankOptions::default() };
    // A thread of the router's makes tables meanwhile: as many instructions of it as happen to be done would be counted.
    thread::sleep(TABLES);
    // Tables that the first request of a kind makes are made now: they would be in one of two counts, and not in the other.
    for query in queries.iter().take(WARMING) {
        router.rank(query, &options).map_err(Error::other)?;
    }
    let changing = servers.into_iter().find(|server| server.tools.len() >= 10);
    let started = Instant::now();
    for at in 0..times {
        let query = &queries[at % queries.len()];
        if let ("change", Some(server)) = (path.as_str(), &changing) {
            let mut server = server.clone();
            server.tools[0].description = Some(format!("Version {at}"));
            router.set_servers(vec![server], false, ServerPath::List("servers")).map_err(Error::other)?;
        }
        if path != "set" {
            router.rank(query, &options).map_err(Error::other)?;
        }
    }
    if env::var_os("TIME").is_some() {
        #[expect(clippy::print_stderr, clippy::cast_precision_loss, reason = "what a person asked for")]
        {
            eprintln!("{:.3} ms each", started.elapsed().as_secs_f64() * 1e3 / times.max(1) as f64);
        }
    }
    Ok(())
}

fn lines(file: &str) -> Result<Vec<Value>, Error> {
    fs::read_to_string(file)?.lines().map(|line| serde_json::from_str(line).map_err(Error::other)).collect()
}

fn text(line: &Value, field: &str) -> String {
    line[field].as_str().unwrap_or_default().to_owned()
}

fn servers(file: &str) -> Result<Vec<McpServer>, Error> {
    let mut servers: BTreeMap<String, McpServer> = BTreeMap::new();
    for line in lines(file)? {
        let name = Some(text(&line, "server")).filter(|name| !name.is_empty()).unwrap_or_else(|| "_".into());
        let mut tool = McpTool::new(text(&line, "name"));
        tool.description = line["description"].as_str().map(str::to_owned);
        tool.input_schema = line.get("inputSchema").map(Value::to_string);
        let server = servers.entry(name.clone()).or_insert_with(|| McpServer { name, ..McpServer::default() });
        server.tools.push(tool);
    }
    Ok(servers.into_values().collect())
}
