//! The claims of the cache of vectors.

use std::fs;

use super::*;

const HASH: [u8; 32] = [7; 32];

fn hash(at: usize) -> [u8; 32] {
    *blake3::hash(&at.to_le_bytes()).as_bytes()
}

#[test]
fn a_vector_comes_back_bit_by_bit_under_its_own_model_and_length() {
    let folder = tempfile::tempdir().unwrap();
    let cache = VectorCache::new(folder.path(), "m", 2);
    assert_eq!(cache.read(&HASH), None);
    cache.write(&HASH, &[0.1, -0.2]);
    cache.write(&hash(1), &[0.3, 0.4]);
    for cache in [cache, VectorCache::new(folder.path(), "m", 2)] {
        assert_eq!(cache.read(&HASH), Some(vec![0.1, -0.2]));
        assert_eq!(cache.read(&hash(1)), Some(vec![0.3, 0.4]));
    }
    assert_eq!(VectorCache::new(folder.path(), "other", 2).read(&HASH), None);
    assert_eq!(VectorCache::new(folder.path(), "m", 3).read(&HASH), None);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "one file for all");
}

#[test]
fn a_file_that_is_damaged_or_cut_anywhere_gives_no_wrong_vector_and_is_made_whole_again() {
    let folder = tempfile::tempdir().unwrap();
    let written = VectorCache::new(folder.path(), "m", 2);
    for at in 0..3_u8 {
        written.write(&hash(at.into()), &[f32::from(at), 1.0]);
    }
    let whole = fs::read(&written.file).unwrap();
    let read = |bytes: &[u8]| -> usize {
        fs::write(&written.file, bytes).unwrap();
        let cache = VectorCache::new(folder.path(), "m", 2);
        let found = (0..3_u8).filter(|at| {
            let read = cache.read(&hash((*at).into()));
            assert!(read.is_none() || read == Some(vec![f32::from(*at), 1.0]));
            read.is_some()
        });
        let found = found.count();
        for at in 0..3_u8 {
            cache.write(&hash(at.into()), &[f32::from(at), 1.0]);
        }
        assert!((0..3).all(|at| VectorCache::new(folder.path(), "m", 2).read(&hash(at)).is_some()));
        found
    };
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        let found = read(&damaged);
        assert!(if at < MAGIC.len() { found == 0 } else { found >= 2 }, "byte {at} costs no more than one vector: {found}");
        let kept = at.saturating_sub(HEADER_BYTES) / ((whole.len() - HEADER_BYTES) / 3);
        assert_eq!(read(&whole[..at]), kept, "cut at {at}");
    }
}

#[test]
fn two_processes_share_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = [0, 1].map(|_| VectorCache::bounded(folder.path(), "m", 2, 2_000));
    one.write(&hash(1), &[1.0, 1.0]);
    assert_eq!(other.read(&hash(1)), Some(vec![1.0, 1.0]));
    other.write(&hash(2), &[2.0, 1.0]);
    assert_eq!(one.read(&hash(2)), Some(vec![2.0, 1.0]));
    for at in 3..100 {
        one.write(&hash(at), &[3.0, 1.0]);
    }
    one.retain(&HashSet::from([hash(1)]));
    assert_eq!(other.read(&hash(1)), Some(vec![1.0, 1.0]), "in the old file or in the new one");
    other.write(&hash(200), &[9.0, 1.0]);
    assert_eq!(one.read(&hash(200)), Some(vec![9.0, 1.0]), "appended to the new file");
    std::thread::scope(|scope| {
        for (cache, first) in [(&one, 1_000), (&other, 2_000)] {
            scope.spawn(move || (first..first + 50).for_each(|at| cache.write(&hash(at), &[1.0, 2.0])));
        }
    });
    let fresh = VectorCache::new(folder.path(), "m", 2);
    assert!((1_000..1_050).chain(2_000..2_050).all(|at| fresh.read(&hash(at)).is_some()));
}

#[test]
fn a_full_file_drops_only_what_is_not_wanted_and_stays_within_its_bound() {
    let folder = tempfile::tempdir().unwrap();
    let cache = VectorCache::bounded(folder.path(), "m", 2, 8_000);
    let mut wanted: Vec<usize> = (0..20).collect();
    for at in 0..20 {
        cache.write(&hash(at), &[1.0, 1.0]);
    }
    // Each round other tools change, as a server does that writes the date into its descriptions.
    for round in 1..50 {
        wanted.truncate(10);
        wanted.extend(round * 1_000..round * 1_000 + 10);
        for at in &wanted {
            cache.write(&hash(*at), &[1.0, 1.0]);
        }
        if cache.is_full() {
            cache.retain(&wanted.iter().map(|at| hash(*at)).collect());
        }
        assert!(fs::metadata(&cache.file).unwrap().len() < 10_000);
        assert!(wanted.iter().all(|at| cache.read(&hash(*at)).is_some()));
    }
    // More wanted ones than the bound takes are still kept.
    let many: HashSet<[u8; 32]> = (0..500).map(hash).collect();
    (0..500).for_each(|at| cache.write(&hash(at), &[1.0, 1.0]));
    assert!(cache.is_full());
    cache.retain(&many);
    assert!(!cache.is_full() && (0..500).all(|at| cache.read(&hash(at)).is_some()));
}

#[cfg(unix)]
#[test]
fn a_pipe_in_its_place_is_not_waited_for_and_a_prepared_link_is_not_written_through() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let cache = VectorCache::new(folder.path(), "m", 2);
    assert!(std::process::Command::new("mkfifo").arg(&cache.file).status().unwrap().success());
    cache.write(&HASH, &[0.1, -0.2]);
    assert_eq!(cache.read(&HASH), None);
    fs::remove_file(&cache.file).unwrap();
    let victim = folder.path().join("victim");
    fs::write(&victim, [new_header(), b"mine".to_vec()].concat()).unwrap();
    let before = fs::read(&victim).unwrap();
    symlink(&victim, &cache.file).unwrap();
    cache.write(&HASH, &[0.1, -0.2]);
    assert_eq!(fs::read(&victim).unwrap(), before);
    fs::remove_file(&cache.file).unwrap();
    cache.write(&HASH, &[0.1, -0.2]);
    assert_eq!(fs::metadata(&cache.file).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_part_without_a_record_ends_what_is_read_and_what_is_written_afterwards_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let written = VectorCache::bounded(folder.path(), "m", 2, 1024);
    written.write(&hash(0), &[0.0, 1.0]);
    let mut bytes = fs::read(&written.file).unwrap();
    bytes.resize(bytes.len() + 3 * usize::try_from(PART_BYTES).unwrap(), 0);
    fs::write(&written.file, &bytes).unwrap();
    let cache = VectorCache::bounded(folder.path(), "m", 2, 1024);
    assert_eq!(cache.read(&hash(0)), Some(vec![0.0, 1.0]));
    assert_eq!(cache.state.lock().scanned, bytes.len() as u64, "the rest is passed over");
    cache.write(&hash(1), &[1.0, 1.0]);
    assert_eq!(cache.read(&hash(1)), Some(vec![1.0, 1.0]));
    assert!(cache.is_full());
    cache.retain(&HashSet::from([hash(0)]));
    assert!(fs::metadata(&cache.file).unwrap().len() < 1024, "it is written again without what is damaged");
}
