//! The claims of the embedding service, with embedders that follow a script.

use std::collections::VecDeque;
use std::sync::atomic::AtomicUsize;

use parking_lot::Mutex;

use super::*;
use crate::embedding::hashed::HashedEmbedder;
use crate::embedding::{Batch, Embedder};
use crate::error::ErrorKind;

type Answer = fn(&[&str]) -> Result<Vec<Vec<f32>>>;

struct Script {
    answers: VecDeque<Answer>,
}

impl Embedder for Script {
    fn id(&self) -> &'static str {
        "script"
    }
    fn dimensions(&self) -> usize {
        1
    }
    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        self.answers.pop_front().unwrap_or(good)(texts)
    }
}

#[expect(clippy::unnecessary_wraps, reason = "an answer of a script")]
fn good(texts: &[&str]) -> Result<Vec<Vec<f32>>> {
    Ok(texts.iter().map(|_| vec![1.0]).collect())
}

fn bad(_: &[&str]) -> Result<Vec<Vec<f32>>> {
    Err(ErrorKind::EmbeddingFailed { detail: "no".into() }.into())
}

fn slow(texts: &[&str]) -> Result<Vec<Vec<f32>>> {
    std::thread::sleep(Duration::from_millis(200));
    good(texts)
}

fn service(answers: &[Answer]) -> EmbeddingService {
    let service = EmbeddingService::default();
    let script = Script { answers: answers.iter().copied().collect() };
    service.install(Box::new(|| Ok(Box::new(script))), None, Box::new(Vec::new)).recv().unwrap().unwrap();
    service
}

fn wanted(text: &str) -> WantedText {
    WantedText { hash: *blake3::hash(text.as_bytes()).as_bytes(), text: text.into(), name_bytes: 0 }
}

const LONG: Duration = Duration::from_secs(10);

#[test]
fn a_text_that_fails_once_is_tried_again() {
    let service = service(&[good, bad]);
    service.want([wanted("a")].into_iter());
    assert!(service.wait_idle(LONG));
    assert!(service.vectors().unwrap().document(&wanted("a").hash).is_some());
    assert_eq!(service.last_error(), None);
}

#[test]
fn clauses_have_vectors_of_their_own_where_the_embedder_has_them() {
    let clauses = [0..1, 2..3];
    let service = EmbeddingService::default();
    service.install(Box::new(|| Ok(Box::new(OfParts))), None, Box::new(Vec::new)).recv().unwrap().unwrap();
    let vectors = service.query("a b", &clauses, LONG).unwrap();
    assert_eq!((&*vectors.whole, vectors.clauses.len()), ([1.0, 0.0].as_slice(), 2));
    assert_eq!(service.vectors().unwrap().query("a b"), Some(vectors));
    service.install(Box::new(|| Ok(Box::new(HashedEmbedder))), None, Box::new(Vec::new)).recv().unwrap().unwrap();
    assert!(service.query("a b", &clauses, LONG).unwrap().clauses.is_empty());
}

#[test]
fn a_pause_waits_for_the_text_in_hand_and_begins_no_other() {
    let service = service(&[good, slow]);
    service.want(["a", "b"].map(wanted).into_iter());
    std::thread::sleep(Duration::from_millis(20));
    assert!(service.pause(LONG));
    let vectors = service.vectors().unwrap();
    assert!(!vectors.has(&wanted("b").hash));
    service.resume();
    assert!(service.wait_idle(LONG));
    assert!(vectors.has(&wanted("b").hash));
}

#[test]
fn texts_of_a_batch_are_alike_in_length_and_none_is_left_behind() {
    struct Padded(Arc<Mutex<Vec<Vec<usize>>>>);
    impl Embedder for Padded {
        fn id(&self) -> &'static str {
            "padded"
        }
        fn dimensions(&self) -> usize {
            1
        }
        fn batch(&self) -> Batch {
            Batch { texts: 4, bytes: Some(100) }
        }
        fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
            self.0.lock().push(texts.iter().map(|text| text.len()).collect());
            good(texts)
        }
    }
    let calls = Arc::default();
    let embedder = Padded(Arc::clone(&calls));
    let service = EmbeddingService::default();
    let lengths = (0..300).map(|at| 1 + at * 37 % 150);
    let texts: Vec<WantedText> = lengths.enumerate().map(|(at, length)| wanted(&format!("{at:0length$}"))).collect();
    let all = texts.clone();
    let texts = move || texts.clone();
    service.install(Box::new(|| Ok(Box::new(embedder))), None, Box::new(texts)).recv().unwrap().unwrap();
    assert!(service.wait_idle(LONG));
    assert!(all.iter().all(|text| service.vectors().unwrap().has(&text.hash)));
    let calls = calls.lock();
    let batches = calls.iter().filter(|call| call.len() > 1);
    for batch in batches.clone() {
        let (shortest, longest) = (batch.iter().min().unwrap(), batch.iter().max().unwrap());
        assert!(batch.len() <= 4 && longest * batch.len() <= 100 && shortest * 2 >= *longest, "{batch:?}");
    }
    assert!(batches.count() > 30, "{calls:?}");
}

#[test]
fn memory_is_given_back_after_an_embedder_has_gone_and_once_when_nothing_is_left_to_do() {
    static TIMES: AtomicUsize = AtomicUsize::new(0);
    let times = || TIMES.load(Ordering::Relaxed);
    let service = EmbeddingService::default();
    service.set_give_back(|| {
        TIMES.fetch_add(1, Ordering::Relaxed);
    });
    service.install(Box::new(|| Ok(Box::new(HashedEmbedder))), None, Box::new(Vec::new)).recv().unwrap().unwrap();
    assert_eq!(times(), 1);
    service.uninstall().recv().unwrap();
    assert_eq!(times(), 2);
    let until = Instant::now() + LONG;
    while times() == 2 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(times(), 3);
    service.want([wanted("without an embedder")].into_iter());
    assert_eq!(times(), 3);
}

/// Gives vectors of parts: (1, 0) for a whole text, (0, 1) for its parts.
struct OfParts;

impl Embedder for OfParts {
    fn id(&self) -> &'static str {
        "parts"
    }
    fn dimensions(&self) -> usize {
        2
    }
    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        Ok(texts.iter().map(|_| vec![1.0, 0.0]).collect())
    }
    fn embed_parts(&mut self, _: &str, parts: &[Range<usize>]) -> Result<Option<Vec<Vec<f32>>>> {
        Ok(Some([vec![1.0, 0.0]].into_iter().chain(parts.iter().map(|_| vec![0.0, 1.0])).collect()))
    }
}

#[test]
fn a_name_weighs_half_of_the_text_that_begins_with_it() {
    let service = EmbeddingService::default();
    service.install(Box::new(|| Ok(Box::new(OfParts))), None, Box::new(Vec::new)).recv().unwrap().unwrap();
    let named = WantedText { name_bytes: 1, ..wanted("a b") };
    service.want([named.clone(), wanted("c")].into_iter());
    assert!(service.wait_idle(LONG));
    let vectors = service.vectors().unwrap();
    let vector = vectors.document(&named.hash).unwrap();
    assert!((vector[1] / vector[0] - 0.5).abs() < 1e-6);
    assert_eq!(&*vectors.document(&wanted("c").hash).unwrap(), [1.0, 0.0]);
}
