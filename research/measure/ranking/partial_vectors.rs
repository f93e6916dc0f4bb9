//! A measurement of rankings while some vectors are missing, over labelled sets, for `research/measure/ranking/partial-vectors.mjs`.

use std::sync::Arc;
use std::time::Duration;

use super::ask::Ask;
use super::*;
use crate::catalogue::ServerPath;
use crate::catalogue::mcp::{McpServer, McpTool};
use crate::catalogue::scope::Scope;
use crate::embedding::vectors::Vector;
use crate::order::{self, Ground, Request, Task};
use crate::ranking::SemanticInput;
use crate::ranking::semantic::ToolVectors;
use crate::settings::Ranker;
use crate::uses::preference::UsePreference;

/// A request of a labelled set: what it needs, each with what is as good.
struct Labelled {
    text: String,
    needed: Vec<Vec<usize>>,
}

/// How many needs, and how many of them are found in the first ten.
type Found = (usize, usize);

/// Servers, requests, and the id, server and name of each tool.
type Set = (Vec<McpServer>, Vec<serde_json::Value>, Vec<(String, String, String)>);

fn read(folder: &std::path::Path) -> Set {
    let lines = |name: &str| -> Vec<serde_json::Value> {
        std::fs::read_to_string(folder.join(name)).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let (mut servers, mut ids): (Vec<McpServer>, Vec<_>) = (Vec::new(), Vec::new());
    for tool in lines("tools.jsonl") {
        let text = |field: &str| tool[field].as_str().map(str::to_owned);
        let server = text("server").filter(|name| !name.is_empty()).unwrap_or_else(|| "_".into());
        let name = text("name").unwrap();
        ids.push((text("id").unwrap(), server.clone(), name.clone()));
        let schema = tool.get("inputSchema").map(ToString::to_string);
        let own = McpTool { title: text("title"), description: text("description"), input_schema: schema, ..McpTool::new(name) };
        match servers.iter_mut().find(|known| known.name == server) {
            Some(known) => known.tools.push(own),
            None => servers.push(McpServer { name: server, tools: vec![own], ..McpServer::default() }),
        }
    }
    (servers, lines("queries.jsonl"), ids)
}

/// A row per set and share: recall at 10 of needs whose tool has a vector, of those whose tool has none, of all; then the
/// same needs ranked by terms alone, and by all vectors. `TOOL_ROUTER_SETS` names folders, `TOOL_ROUTER_CACHE` one for vectors.
#[test]
#[ignore = "a measurement: node research/measure/ranking/partial-vectors.mjs <set>..."]
fn measure_rankings_while_vectors_are_missing() {
    use crate::embedding::onnx::{OnnxEmbedder, OnnxOptions};
    if std::env::var_os("TOOL_ROUTER_SETS").is_none() {
        return; // no sets to measure
    }
    let variable = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"));
    let npm = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("npm");
    let runtime_path = variable("TOOL_ROUTER_RUNTIME").into();
    let options = OnnxOptions { model_dir: npm.join("model"), runtime_path, runtime_pin: None, threads: 1, named: None };
    let most: usize = variable("TOOL_ROUTER_MOST").parse().unwrap();
    for folder in variable("TOOL_ROUTER_SETS").split(',').map(std::path::PathBuf::from) {
        let (servers, queries, ids) = read(&folder);
        let router = ToolRouter::new();
        router.set_servers(servers, false, ServerPath::List("servers")).unwrap();
        let own = options.clone();
        let cache = Some(variable("TOOL_ROUTER_CACHE").into());
        router.install(Box::new(move || Ok(Box::new(OnnxEmbedder::load(&own)?))), cache).recv().unwrap().unwrap();
        assert!(router.wait_ready(Duration::from_hours(1)));
        let index = router.index();
        let positions: std::collections::HashMap<&str, usize> = ids
            .iter()
            .filter_map(|(id, server, name)| {
                Some((id.as_str(), index.position(&crate::document::id::ToolId::new(server, name))?))
            })
            .collect();
        let labelled: Vec<Labelled> = queries
            .iter()
            .filter(|query| query["gold"].as_array().is_some_and(|gold| !gold.is_empty()))
            .map(|query| Labelled {
                text: query["query"].as_str().unwrap().to_owned(),
                needed: query["gold"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter_map(serde_json::Value::as_str)
                    .map(|gold| {
                        let alternatives =
                            query["alts"][gold].as_array().into_iter().flatten().filter_map(serde_json::Value::as_str);
                        [gold].into_iter().chain(alternatives).filter_map(|id| positions.get(id).copied()).collect()
                    })
                    .collect(),
            })
            .collect();
        let step = labelled.len().div_ceil(most).max(1);
        let scope = index.in_scope(&Scope::All);
        let ground = Ground::new(&index, &scope);
        let uses = UsePreference::default();
        let all = router.tool_vectors(&index).unwrap();
        for share in [10_usize, 50, 90] {
            let kept = |at: usize| u64::from(blake3::hash(&at.to_le_bytes()).as_bytes()[0]) * 100 < share as u64 * 256;
            let vector = |at: usize| all.get(at).filter(|_| kept(at)).cloned();
            let some = ToolVectors::new((0..index.tools.len()).map(vector).collect::<Vec<Option<Vector>>>());
            let mut found: [[Found; 3]; 3] = Default::default();
            for request in labelled.iter().step_by(step) {
                let ask = Ask::new(ground, &request.text, Ranker::Hybrid, 60_000);
                let query =
                    router.embedding.query(&ask.query.ranked, &ask.query.clause_ranges(), Duration::from_mins(1)).unwrap();
                let by = |tools: Option<&ToolVectors>| {
                    let input = tools.map(|tools| SemanticInput { query: &query, tools, known_scale: false, alone: false });
                    let request = Request { query: &ask.query, semantic: input, uses: &uses, entries: None };
                    let tools = order::rank(ground, &request, &Task::default(), 10).tools;
                    tools.into_iter().map(|tool| tool.position).collect::<Vec<_>>()
                };
                for (at, tools) in [by(Some(&some)), by(None), by(Some(&all))].iter().enumerate() {
                    for needed in &request.needed {
                        let has = needed.first().is_some_and(|at| kept(*at));
                        let is_found = needed.iter().any(|at| tools.contains(at));
                        for half in [usize::from(!has), 2] {
                            found[at][half].0 += 1;
                            found[at][half].1 += usize::from(is_found);
                        }
                    }
                }
            }
            #[expect(clippy::cast_precision_loss, reason = "counts of requests")]
            let percent = |(count, found): Found| format!("{:.1}", 100.0 * found as f64 / count.max(1) as f64);
            let cells: Vec<String> = found.iter().map(|halves| halves.map(percent).join(" / ")).collect();
            #[expect(clippy::print_stdout, reason = "a measurement, run by hand")]
            {
                println!("| {} | {share} % | {} |", folder.file_name().unwrap().to_string_lossy(), cells.join(" | "));
            }
        }
        drop(Arc::clone(&all));
    }
}
