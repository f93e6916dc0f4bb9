//! Models that `fastembed` knows by name: which files each one has, and how its vectors are made.

use fastembed::{EmbeddingModel, ModelInfo, Pooling, TextEmbedding};

/// A model by its name in `fastembed`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedModel {
    /// Its name, as `BGESmallENV15Q`.
    pub name: String,
    /// The repository of its files, as `Qdrant/bge-small-en-v1.5-onnx-Q`.
    pub repository: String,
    /// Its ONNX file in the repository; `tokenizer.json` is at the top.
    pub model_file: String,
    /// How many numbers a vector has.
    pub dimensions: usize,
    /// How a vector comes of its tokens'.
    pub pooling: Pooling,
    /// What its makers put before each text.
    pub prefix: &'static str,
}

/// Finds a model by its exact name.
pub fn find(name: &str) -> Option<NamedModel> {
    TextEmbedding::list_supported_models().iter().filter_map(usable).find(|model| model.name == name)
}

/// All names, in order.
pub fn names() -> Vec<String> {
    let mut names: Vec<String> =
        TextEmbedding::list_supported_models().iter().filter_map(usable).map(|model| model.name).collect();
    names.sort();
    names
}

/// Models of one file, whose vectors are pooled here: the others are of more than a gigabyte, or take another road.
fn usable(info: &ModelInfo<EmbeddingModel>) -> Option<NamedModel> {
    if !info.additional_files.is_empty() || info.output_key.is_some() {
        return None;
    }
    let name = info.model.to_string();
    let pooling = TextEmbedding::get_default_pooling_method(&info.model)?;
    if !matches!(pooling, Pooling::Mean | Pooling::Cls) {
        return None;
    }
    Some(NamedModel {
        prefix: prefix(&name),
        name,
        repository: info.model_code.clone(),
        model_file: info.model_file.clone(),
        dimensions: info.dim,
        pooling,
    })
}

/// Requests and tools get the same one: a request is as short as a tool's text, and each is compared with the other.
fn prefix(name: &str) -> &'static str {
    if name.starts_with("MultilingualE5") {
        "query: "
    } else if name.starts_with("NomicEmbed") {
        "search_query: "
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_has_its_files_and_its_way_of_pooling() {
        let small = find("BGESmallENV15Q").unwrap();
        assert_eq!((small.repository.as_str(), small.dimensions), ("Qdrant/bge-small-en-v1.5-onnx-Q", 384));
        assert_eq!((small.model_file.as_str(), small.pooling), ("model_optimized.onnx", Pooling::Cls));
        let several = find("ParaphraseMLMiniLML12V2Q").unwrap();
        assert_eq!((several.dimensions, several.pooling, several.prefix), (384, Pooling::Mean, ""));
        assert_eq!(find("MultilingualE5Small").unwrap().prefix, "query: ");
    }

    #[test]
    fn a_name_is_exact_and_models_of_several_files_are_none() {
        for name in ["bgesmallenv15q", "BGESmallENV15Q ", "", "MultilingualE5Large", "BGEM3", "EmbeddingGemma300M"] {
            assert_eq!(find(name), None, "{name}");
        }
        let names = names();
        assert!(names.is_sorted() && names.len() > 20, "{names:?}");
        assert!(names.iter().all(|name| find(name).is_some()));
    }
}
