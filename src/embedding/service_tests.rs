//! The claims of the embedding service, with embedders that follow a script.

use std::collections::VecDeque;
use std::sync::atomic::AtomicUsize;

use parking_lot::Mutex;

use super::*;
use crate::embedding::hashed::HashedEmbedder;
use crate::embedding::shipped::{self, Shipped, ShippedVectors};
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

fn panics(_: &[&str]) -> Result<Vec<Vec<f32>>> {
    panic!("as a native library may")
}

fn slow(texts: &[&str]) -> Result<Vec<Vec<f32>>> {
    std::thread::sleep(Duration::from_millis(200));
    good(texts)
}

/// Whoever holds it keeps `held` from answering.
static HELD: Mutex<()> = Mutex::new(());

fn held(texts: &[&str]) -> Result<Vec<Vec<f32>>> {
    drop(HELD.lock());
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
fn an_embedder_that_fails_its_first_text_is_never_in_force() {
    let service = EmbeddingService::default();
    let script = Script { answers: [bad as Answer].into() };
    let error = service.install(Box::new(|| Ok(Box::new(script))), None, Box::new(Vec::new)).recv().unwrap().unwrap_err();
    assert_eq!(error.code(), "ERR_EMBEDDING_FAILED");
    assert!(service.vectors().is_none());
    assert!(!service.loading());
}

#[test]
fn a_failing_install_keeps_the_embedder_before() {
    let service = EmbeddingService::default();
    service.install(Box::new(|| Ok(Box::new(HashedEmbedder))), None, Box::new(Vec::new)).recv().unwrap().unwrap();
    let failed = service
        .install(Box::new(|| Err(ErrorKind::ModelNotFound { path: "x".into() }.into())), None, Box::new(Vec::new))
        .recv()
        .unwrap();
    assert_eq!(failed.unwrap_err().code(), "ERR_MODEL_NOT_FOUND");
    assert_eq!(service.vectors().unwrap().model_id, "hashed-64");
    assert!(service.query("text", &[], LONG).is_ok());
}

#[test]
fn a_text_that_fails_once_is_tried_again() {
    let service = service(&[good, bad]);
    service.want([wanted("a")].into_iter());
    assert!(service.wait_idle(LONG));
    assert!(service.vectors().unwrap().document(&wanted("a").hash).is_some());
    assert_eq!(service.last_error(), None);
}

#[test]
fn a_text_that_fails_for_good_is_given_up_and_the_next_ones_are_served() {
    let service = service(&[good, bad, panics, bad]);
    service.want([wanted("a"), wanted("b")].into_iter());
    assert!(service.wait_idle(LONG));
    let vectors = service.vectors().unwrap();
    assert!(vectors.document(&wanted("a").hash).is_none());
    assert!(vectors.document(&wanted("b").hash).is_some());
    assert_eq!(service.last_error().as_deref(), Some("embedding failed: no"));
    service.want([wanted("a")].into_iter());
    assert!(service.wait_idle(LONG));
    assert!(vectors.document(&wanted("a").hash).is_some());
}

#[test]
fn a_late_query_degrades_at_its_deadline_and_the_next_does_not_wait() {
    let service = service(&[good, held]);
    let hold = HELD.lock();
    assert_eq!(service.query("a", &[], Duration::from_millis(10)), Err(Degraded::DeadlineExceeded));
    assert_eq!(service.query("b", &[], LONG), Err(Degraded::DeadlineExceeded));
    drop(hold);
    while service.vectors().unwrap().query("a").is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(service.query("a", &[], LONG).is_ok());
    assert!(service.query("b", &[], LONG).is_ok());
}

#[test]
fn clauses_have_vectors_of_their_own_where_the_embedder_has_them() {
    struct Parts;
    impl Embedder for Parts {
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
            let parts = parts.iter().map(|_| vec![0.0, 1.0]);
            Ok(Some([vec![1.0, 0.0]].into_iter().chain(parts).collect()))
        }
    }
    let clauses = [0..1, 2..3];
    let service = EmbeddingService::default();
    service.install(Box::new(|| Ok(Box::new(Parts))), None, Box::new(Vec::new)).recv().unwrap().unwrap();
    let vectors = service.query("a b", &clauses, LONG).unwrap();
    assert_eq!((&*vectors.whole, vectors.clauses.len()), ([1.0, 0.0].as_slice(), 2));
    assert_eq!(service.vectors().unwrap().query("a b"), Some(vectors));
    service.install(Box::new(|| Ok(Box::new(HashedEmbedder))), None, Box::new(Vec::new)).recv().unwrap().unwrap();
    assert!(service.query("a b", &clauses, LONG).unwrap().clauses.is_empty());
}

#[test]
fn the_last_change_of_embedders_wins_whatever_each_takes() {
    let service = EmbeddingService::default();
    let slowly = || -> Loader {
        Box::new(|| {
            std::thread::sleep(Duration::from_millis(30));
            Ok(Box::new(HashedEmbedder))
        })
    };
    let first = service.install(slowly(), None, Box::new(Vec::new));
    let second = service.install(Box::new(|| Ok(Box::new(Script { answers: VecDeque::new() }))), None, Box::new(Vec::new));
    assert_eq!(first.recv().unwrap().unwrap().model_id, "hashed-64");
    second.recv().unwrap().unwrap();
    assert_eq!(service.vectors().unwrap().model_id, "script");
    let _third = service.install(slowly(), None, Box::new(Vec::new));
    service.uninstall().recv().unwrap();
    assert!(service.vectors().is_none());
}

#[test]
fn an_install_is_not_idle_before_its_texts_are_embedded() {
    let service = EmbeddingService::default();
    let installed = service.install(Box::new(|| Ok(Box::new(HashedEmbedder))), None, Box::new(|| vec![wanted("a")]));
    assert!(service.wait_idle(LONG));
    assert!(service.vectors().unwrap().has(&wanted("a").hash));
    installed.recv().unwrap().unwrap();
}

#[test]
fn a_refused_text_takes_no_other_of_its_batch_with_it() {
    struct Batches;
    impl Embedder for Batches {
        fn id(&self) -> &'static str {
            "batches"
        }
        fn dimensions(&self) -> usize {
            1
        }
        fn batch(&self) -> Batch {
            Batch { texts: 10, bytes: None }
        }
        fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
            if texts.contains(&"poison") { bad(texts) } else { good(texts) }
        }
    }
    let service = EmbeddingService::default();
    let texts = || ["a", "poison", "b", "c"].map(wanted).to_vec();
    service.install(Box::new(|| Ok(Box::new(Batches))), None, Box::new(texts)).recv().unwrap().unwrap();
    assert!(service.wait_idle(LONG));
    let vectors = service.vectors().unwrap();
    let there = ["a", "poison", "b", "c"].map(|text| vectors.has(&wanted(text).hash));
    assert_eq!(there, [true, false, true, true]);
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

/// Counts its texts, and comes with vectors.
struct Counting {
    id: &'static str,
    shipped: Option<Shipped>,
    texts: Arc<AtomicUsize>,
}

impl Embedder for Counting {
    fn id(&self) -> &str {
        self.id
    }
    fn dimensions(&self) -> usize {
        2
    }
    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        self.texts.fetch_add(texts.len(), Ordering::Relaxed);
        Ok(texts.iter().map(|_| vec![1.0, 0.0]).collect())
    }
    fn take_shipped(&mut self) -> Option<Shipped> {
        self.shipped.take()
    }
}

/// A service whose embedder of this id comes with a file that holds a vector of the text "a" for the encoder "counting"; how
/// many texts it embeds for "a" immediately, and for "a" and "b" later.
fn with_shipped(id: &'static str, change: impl FnOnce(&mut Vec<u8>)) -> (EmbeddingService, usize) {
    let folder = tempfile::tempdir().unwrap();
    let key = crate::embedding::cache::key("counting", &wanted("a").hash);
    let mut bytes = shipped::file_of("counting", 2, &[(key, vec![0, 127])]);
    change(&mut bytes);
    std::fs::write(folder.path().join(shipped::FILE_NAME), bytes).unwrap();
    let texts = Arc::new(AtomicUsize::new(0));
    let embedder = Counting { id, shipped: ShippedVectors::open(folder.path(), id, 2), texts: Arc::clone(&texts) };
    let service = EmbeddingService::default();
    let cache = folder.path().join("cache");
    service.install(Box::new(|| Ok(Box::new(embedder))), Some(cache), Box::new(|| vec![wanted("a")])).recv().unwrap().unwrap();
    service.want(["a", "b"].map(wanted).into_iter());
    assert!(service.wait_idle(LONG));
    let of_probe = 1;
    (service, texts.load(Ordering::Relaxed) - of_probe)
}

#[test]
fn a_vector_that_came_with_the_model_costs_no_run_of_it() {
    let (service, runs) = with_shipped("counting", |_| {});
    assert_eq!(runs, 1, "b alone");
    let vectors = service.vectors().unwrap();
    assert_eq!(&*vectors.document(&wanted("a").hash).unwrap(), [0.0, 1.0]);
    let status = vectors.shipped_status().unwrap();
    assert_eq!((status.count, status.used, status.refused), (1, 1, None));
}

#[test]
fn vectors_of_another_encoder_and_damaged_ones_are_refused_and_made() {
    for (id, change, reason) in [
        ("other", (|_| {}) as fn(&mut Vec<u8>), "another encoder"),
        ("counting", |bytes| bytes.truncate(bytes.len() - 1), "bytes, got"),
        ("counting", |bytes| bytes[60] ^= 4, "its hash"),
        ("counting", Vec::clear, "a file of vectors"),
    ] {
        let (service, runs) = with_shipped(id, change);
        assert_eq!(runs, 2, "{reason}");
        let vectors = service.vectors().unwrap();
        assert_eq!(&*vectors.document(&wanted("a").hash).unwrap(), [1.0, 0.0]);
        let status = vectors.shipped_status().unwrap();
        assert!(status.count == 0 && status.refused.is_some_and(|said| said.contains(reason)), "{reason}");
    }
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
