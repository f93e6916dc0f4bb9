//! Rankings while some vectors are missing.

use std::time::Duration;

use super::*;
use crate::catalogue::ServerPath;
use crate::catalogue::mcp::{McpServer, McpTool};
use crate::degraded::Degraded;
use crate::embedding::Embedder;
use crate::embedding::hashed::HashedEmbedder;
use crate::error::{ErrorKind, Result};
use crate::ranking::semantic::FEWEST_VECTORS;
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
    let good = RankOptions { servers: Some(["good".to_owned()].into_iter().collect()), ..options.clone() };
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
