//! Rankings while some vectors are missing; and a measurement over labelled sets, for `benchmark/partial-vectors.mjs`.

use std::sync::Arc;
use std::time::Duration;

use super::ask::Ask;
use super::*;
use crate::catalogue::ServerPath;
use crate::catalogue::mcp::{McpServer, McpTool};
use crate::catalogue::scope::Scope;
use crate::degraded::Degraded;
use crate::embedding::Embedder;
use crate::embedding::hashed::HashedEmbedder;
use crate::embedding::vectors::Vector;
use crate::error::{ErrorKind, Result};
use crate::ranking::SemanticInput;
use crate::ranking::semantic::{FEWEST_VECTORS, ToolVectors};
use crate::settings::Ranker;

/// Makes the vectors of texts that hold a word, and refuses the others.
struct Only(HashedEmbedder, &'static str);

impl Embedder for Only {
    fn id(&self) -> &'static str {
        "only"
    }
    fn dimensions(&self) -> usize {
        self.0.dimensions()
    }
    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        if texts.iter().any(|text| text.contains("tool") && !text.contains(self.1)) {
            return Err(ErrorKind::EmbeddingFailed { detail: "refused".into() }.into());
        }
        self.0.embed(texts)
    }
}

fn server(name: &str, count: usize) -> McpServer {
    let tool =
        |at: usize| McpTool { description: Some(format!("A {name} tool for job {at}")), ..McpTool::new(format!("do_{at}")) };
    McpServer { name: name.into(), tools: (0..count).map(tool).collect(), ..McpServer::default() }
}

fn router(with: usize, without: usize) -> ToolRouter {
    let router = ToolRouter::new();
    router.set_servers(vec![server("good", with), server("bad", without)], false, ServerPath::List("servers")).unwrap();
    router.install(Box::new(|| Ok(Box::new(Only(HashedEmbedder, "good")))), None).recv().unwrap().unwrap();
    let ready = || router.status().vector_count == with;
    (0..1000).take_while(|_| !ready()).for_each(|_| std::thread::sleep(Duration::from_millis(10)));
    assert!(ready());
    router
}

#[test]
fn vectors_that_are_there_are_used_and_the_answer_says_what_is_missing() {
    let router = router(FEWEST_VECTORS, 2);
    let options = RankOptions { top_k: Some(100), deadline_ms: Some(30_000), ..RankOptions::default() };
    let answer = router.rank("a job for the good one", &options).unwrap();
    assert_eq!((answer.ranking.ranker, answer.tools.len()), (Ranker::Hybrid, FEWEST_VECTORS + 2));
    assert!(matches!(answer.ranking.degraded, Some(Degraded::VectorsPending(88) | Degraded::EmbeddingFailed)));
    for tool in &answer.tools {
        assert_eq!(tool.ranked.shares.similarity.is_some(), tool.id.server_name == "good");
    }
    // All of this scope have one.
    let good = RankOptions { servers: Some(vec!["good".into()]), ..options.clone() };
    let answer = router.rank("a job", &good).unwrap();
    assert_eq!((answer.ranking.ranker, answer.ranking.degraded), (Ranker::Hybrid, None));
    // By vectors alone, what has none has no place.
    let semantic = RankOptions { ranker: Some(Ranker::Semantic), ..options };
    assert_eq!(router.rank("a job", &semantic).unwrap().ranking.ranker, Ranker::Lexical);
}

#[test]
fn a_handful_of_vectors_is_left_aside_and_the_answer_is_the_lexical_one() {
    let router = router(FEWEST_VECTORS - 1, 2);
    let rank = |ranker| {
        let options = RankOptions { top_k: Some(100), ranker: Some(ranker), ..RankOptions::default() };
        router.rank("job 3 of the bad tool", &options).unwrap()
    };
    let (partial, lexical) = (rank(Ranker::Hybrid), rank(Ranker::Lexical));
    assert!(partial.ranking.degraded.is_some());
    assert_eq!(partial.tools, lexical.tools);
}

/// A request of a labelled set: what it needs, each with what is as good.
struct Labelled {
    text: String,
    needed: Vec<Vec<usize>>,
}

/// How many needs, and how many of them are found in the first ten.
type Found = (usize, usize);

fn read(folder: &std::path::Path) -> (Vec<McpServer>, Vec<serde_json::Value>, Vec<(String, String, String)>) {
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
#[ignore = "a measurement: node benchmark/partial-vectors.mjs <set>..."]
#[cfg(feature = "onnx")]
fn measure_rankings_while_vectors_are_missing() {
    use crate::embedding::onnx::{OnnxEmbedder, OnnxOptions};
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
        assert!(router.wait_ready(Duration::from_secs(3600)));
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
        let candidates = index.candidates(&Scope::All);
        let all = router.tool_vectors(&index).unwrap();
        for share in [10_usize, 50, 90] {
            let kept = |at: usize| u64::from(blake3::hash(&at.to_le_bytes()).as_bytes()[0]) * 100 < share as u64 * 256;
            let vector = |at: usize| all.get(at).filter(|_| kept(at)).cloned();
            let some = ToolVectors::new((0..index.tools.len()).map(vector).collect::<Vec<Option<Vector>>>());
            let mut found: [[Found; 3]; 3] = Default::default();
            for request in labelled.iter().step_by(step) {
                let ask = Ask::new(&index, &request.text, Ranker::Hybrid, 60_000);
                let query =
                    router.embedding.query(&ask.query.ranked, &ask.query.clause_ranges(), Duration::from_secs(60)).unwrap();
                let by = |tools: Option<&ToolVectors>| {
                    let input = tools.map(|tools| SemanticInput { query: &query, tools, known_scale: false, alone: false });
                    let tools = router.rank_with(&index, &candidates, &ask, input, 10).tools;
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
            println!("| {} | {share} % | {} |", folder.file_name().unwrap().to_string_lossy(), cells.join(" | "));
        }
        drop(Arc::clone(&all));
    }
}
