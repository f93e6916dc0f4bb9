//! Makes a model smaller in memory, not in what it says.
//!
//! The table of word vectors is stored in 8 bits with a scale for each row, and the graph turns it into numbers of 32 bits
//! before it looks up a row. ONNX Runtime does that once, when the model is loaded, and keeps the result: 47 MB of the
//! 110 MB that our model takes. Here the rows are looked up first, and only they are turned: the same numbers, bit for bit.
//!
//! ```text
//! Gather(Mul(Cast(table), scales), ids)  ->  Mul(Cast(Gather(table, ids)), Gather(scales, ids))
//! ```
//!
//! Only the fields of `onnx.proto3` that say so are read; whatever looks otherwise stays as it is.

use std::collections::HashMap;

/// Field numbers of `onnx.proto3`.
const MODEL_GRAPH: u64 = 7;
const GRAPH_NODE: u64 = 1;
const GRAPH_INITIALIZER: u64 = 5;
const GRAPH_OUTPUT: u64 = 12;
const NODE_INPUT: u64 = 1;
const NODE_OUTPUT: u64 = 2;
const NODE_NAME: u64 = 3;
const NODE_OP: u64 = 4;
const NODE_ATTRIBUTE: u64 = 5;
const TENSOR_DIMS: u64 = 1;
const TENSOR_NAME: u64 = 8;
const VALUE_NAME: u64 = 1;
const ATTRIBUTE_NAME: u64 = 1;
const ATTRIBUTE_INT: u64 = 3;
/// The wire type of what has a length.
const LENGTH_DELIMITED: u64 = 2;

/// A field of a message: all its bytes, and what it holds.
struct Field<'a> {
    number: u64,
    whole: &'a [u8],
    value: Value<'a>,
}

enum Value<'a> {
    Bytes(&'a [u8]),
    Number(u64),
    Other,
}

impl<'a> Field<'a> {
    fn bytes(&self) -> Option<&'a [u8]> {
        if let Value::Bytes(bytes) = self.value { Some(bytes) } else { None }
    }
}

/// The model with its rows looked up first, where its graph has that shape.
pub(super) fn gather_first(model: &[u8]) -> Option<Vec<u8>> {
    let top = fields(model)?;
    let graph = top.iter().find(|field| field.number == MODEL_GRAPH)?.bytes()?;
    let graph = graph_with_gather_first(&fields(graph)?)?;
    let mut out = Vec::with_capacity(model.len() + 256);
    for field in &top {
        if field.number == MODEL_GRAPH { put(&mut out, MODEL_GRAPH, &graph) } else { out.extend_from_slice(field.whole) }
    }
    Some(out)
}

struct Node<'a> {
    /// Its place among the fields of the graph.
    at: usize,
    fields: Vec<Field<'a>>,
}

impl<'a> Node<'a> {
    fn all(&self, number: u64) -> impl Iterator<Item = &'a [u8]> + '_ {
        self.fields.iter().filter(move |field| field.number == number).filter_map(Field::bytes)
    }

    fn is(&self, op: &str) -> bool {
        self.all(NODE_OP).eq([op.as_bytes()])
    }

    fn inputs<const COUNT: usize>(&self) -> Option<[&'a [u8]; COUNT]> {
        self.all(NODE_INPUT).collect::<Vec<_>>().try_into().ok()
    }

    fn output(&self) -> Option<&'a [u8]> {
        let [output] = self.all(NODE_OUTPUT).collect::<Vec<_>>().try_into().ok()?;
        Some(output)
    }

    /// The same operation over other values.
    fn over(&self, inputs: &[&[u8]], output: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        for input in inputs {
            put(&mut out, NODE_INPUT, input);
        }
        put(&mut out, NODE_OUTPUT, output);
        // A name is for one node, and none is asked for.
        let kept = self.fields.iter().filter(|field| ![NODE_INPUT, NODE_OUTPUT, NODE_NAME].contains(&field.number));
        kept.for_each(|field| out.extend_from_slice(field.whole));
        out
    }

    /// Whether it looks up rows, and not something else of its table.
    fn takes_rows(&self) -> bool {
        self.all(NODE_ATTRIBUTE).all(|attribute| {
            fields(attribute).is_some_and(|parts| {
                parts.iter().any(|part| part.number == ATTRIBUTE_NAME && part.bytes() == Some(b"axis"))
                    && !parts.iter().any(|part| part.number == ATTRIBUTE_INT && !matches!(part.value, Value::Number(0)))
            })
        })
    }
}

fn graph_with_gather_first(graph: &[Field]) -> Option<Vec<u8>> {
    let nodes: Vec<Node> = graph
        .iter()
        .enumerate()
        .filter(|(_, field)| field.number == GRAPH_NODE)
        .map(|(at, field)| Some(Node { at, fields: fields(field.bytes()?)? }))
        .collect::<Option<_>>()?;
    let mut uses: HashMap<&[u8], usize> = HashMap::new();
    nodes.iter().flat_map(|node| node.all(NODE_INPUT)).for_each(|name| *uses.entry(name).or_default() += 1);
    for output in graph.iter().filter(|field| field.number == GRAPH_OUTPUT) {
        *uses.entry(text(&fields(output.bytes()?)?, VALUE_NAME)?).or_default() += 1;
    }
    let made: HashMap<&[u8], &Node> = nodes.iter().filter_map(|node| Some((node.output()?, node))).collect();
    let stored = graph.iter().filter(|field| field.number == GRAPH_INITIALIZER).map(|field| {
        let parts = fields(field.bytes()?)?;
        Some((text(&parts, TENSOR_NAME)?, dims(&parts)?))
    });
    let stored: HashMap<&[u8], Vec<u64>> = stored.collect::<Option<_>>()?;
    // Only where nothing else needs it whole.
    let maker = |name: &[u8], op: &str| made.get(name).filter(|node| node.is(op) && uses.get(name) == Some(&1)).copied();

    let found = nodes.iter().filter(|node| node.is("Gather") && node.takes_rows()).find_map(|gather| {
        let [weight, ids] = gather.inputs()?;
        let mul = maker(weight, "Mul")?;
        let [numbers, scales] = mul.inputs()?;
        let cast = maker(numbers, "Cast")?;
        let [table] = cast.inputs()?;
        let (&[rows, _], &[scale_rows, 1]) = (stored.get(table)?.as_slice(), stored.get(scales)?.as_slice()) else {
            return None;
        };
        if rows != scale_rows {
            return None;
        }
        let named = |what: &str| [weight, what.as_bytes()].concat();
        let (few, few_numbers, few_scales) = (named(" rows"), named(" rows as numbers"), named(" scales"));
        let new = [
            gather.over(&[table, ids], &few),
            gather.over(&[scales, ids], &few_scales),
            cast.over(&[&few], &few_numbers),
            mul.over(&[&few_numbers, &few_scales], gather.output()?),
        ];
        Some((gather.at, [cast.at, mul.at], new))
    });
    let (place, gone, new) = found?;
    let mut out = Vec::new();
    for (at, field) in graph.iter().enumerate() {
        if at == place {
            for node in &new {
                put(&mut out, GRAPH_NODE, node);
            }
        } else if !gone.contains(&at) {
            out.extend_from_slice(field.whole);
        }
    }
    Some(out)
}

fn text<'a>(fields: &[Field<'a>], number: u64) -> Option<&'a [u8]> {
    fields.iter().find(|field| field.number == number)?.bytes()
}

/// The shape of a tensor, packed or not.
fn dims(tensor: &[Field]) -> Option<Vec<u64>> {
    let mut dims = Vec::new();
    for field in tensor.iter().filter(|field| field.number == TENSOR_DIMS) {
        match field.value {
            Value::Number(number) => dims.push(number),
            Value::Bytes(mut packed) => {
                while !packed.is_empty() {
                    dims.push(varint(&mut packed)?);
                }
            }
            Value::Other => return None,
        }
    }
    Some(dims)
}

/// The fields of a message, in order; `None` where it is none.
fn fields(message: &[u8]) -> Option<Vec<Field<'_>>> {
    let mut rest = message;
    let mut found = Vec::new();
    while !rest.is_empty() {
        let start = rest;
        let key = varint(&mut rest)?;
        let value = match key & 7 {
            0 => Value::Number(varint(&mut rest)?),
            1 => taken(&mut rest, 8).map(|_| Value::Other)?,
            LENGTH_DELIMITED => {
                let length = usize::try_from(varint(&mut rest)?).ok()?;
                Value::Bytes(taken(&mut rest, length)?)
            }
            5 => taken(&mut rest, 4).map(|_| Value::Other)?,
            _ => return None,
        };
        found.push(Field { number: key >> 3, whole: &start[..start.len() - rest.len()], value });
    }
    Some(found)
}

fn taken<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (head, tail) = rest.split_at_checked(length)?;
    *rest = tail;
    Some(head)
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, tail) = rest.split_first()?;
        *rest = tail;
        value |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Some(value);
        }
    }
    None
}

fn put(out: &mut Vec<u8>, number: u64, bytes: &[u8]) {
    put_varint(out, number << 3 | LENGTH_DELIMITED);
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value > 127 {
        out.push(u8::try_from(value & 127).unwrap_or_default() | 128);
        value >>= 7;
    }
    out.push(u8::try_from(value).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(parts: &[(u64, &[u8])]) -> Vec<u8> {
        let mut out = Vec::new();
        for (number, bytes) in parts {
            put(&mut out, *number, bytes);
        }
        out
    }

    fn node(op: &str, inputs: &[&str], output: &str) -> Vec<u8> {
        let mut parts: Vec<(u64, &[u8])> = inputs.iter().map(|input| (NODE_INPUT, input.as_bytes())).collect();
        parts.extend([(NODE_OUTPUT, output.as_bytes()), (NODE_NAME, b"name"), (NODE_OP, op.as_bytes())]);
        message(&parts)
    }

    fn tensor(name: &str, dims: [u8; 2]) -> Vec<u8> {
        message(&[(TENSOR_DIMS, &dims), (TENSOR_NAME, name.as_bytes())])
    }

    fn model(nodes: &[Vec<u8>], scale_rows: u8) -> Vec<u8> {
        let tensors = [tensor("table", [9, 4]), tensor("scales", [scale_rows, 1])];
        let mut parts: Vec<(u64, &[u8])> = nodes.iter().map(|node| (GRAPH_NODE, node.as_slice())).collect();
        parts.extend(tensors.iter().map(|tensor| (GRAPH_INITIALIZER, tensor.as_slice())));
        message(&[(2, b"its producer"), (MODEL_GRAPH, &message(&parts))])
    }

    fn table_first() -> Vec<Vec<u8>> {
        vec![
            node("Cast", &["table"], "numbers"),
            node("Mul", &["numbers", "scales"], "weight"),
            node("Gather", &["weight", "ids"], "rows"),
            node("Tanh", &["rows"], "out"),
        ]
    }

    #[test]
    fn rows_are_looked_up_before_they_become_numbers() {
        let changed = gather_first(&model(&table_first(), 9)).unwrap();
        let top = fields(&changed).unwrap();
        assert_eq!(top[0].bytes(), Some(b"its producer".as_slice()));
        let graph = fields(top[1].bytes().unwrap()).unwrap();
        let said: Vec<String> = graph
            .iter()
            .filter(|field| field.number == GRAPH_NODE)
            .map(|field| {
                let node = Node { at: 0, fields: fields(field.bytes().unwrap()).unwrap() };
                let words = |number| {
                    node.all(number).map(|word| String::from_utf8_lossy(word).into_owned()).collect::<Vec<_>>().join(", ")
                };
                format!("{} = {}({})", words(NODE_OUTPUT), words(NODE_OP), words(NODE_INPUT))
            })
            .collect();
        assert_eq!(
            said,
            [
                "weight rows = Gather(table, ids)",
                "weight scales = Gather(scales, ids)",
                "weight rows as numbers = Cast(weight rows)",
                "rows = Mul(weight rows as numbers, weight scales)",
                "out = Tanh(rows)"
            ]
        );
        assert_eq!(graph.iter().filter(|field| field.number == GRAPH_INITIALIZER).count(), 2);
        assert!(gather_first(&changed).is_none(), "there is nothing left to do");
    }

    #[test]
    fn a_graph_of_another_shape_stays_as_it_is() {
        assert!(gather_first(&model(&table_first(), 1)).is_none(), "one scale for all rows");
        assert!(gather_first(&model(&table_first()[1..], 9)).is_none(), "numbers that come from elsewhere");
        let mut twice = table_first();
        twice.push(node("Transpose", &["weight"], "turned"));
        assert!(gather_first(&model(&twice, 9)).is_none(), "somebody else needs the whole table");
        let mut columns = table_first();
        let axis = message(&[(ATTRIBUTE_NAME, b"axis")]);
        put(&mut columns[2], NODE_ATTRIBUTE, &[axis.as_slice(), &[24, 1]].concat());
        assert!(gather_first(&model(&columns, 9)).is_none(), "columns are looked up");
    }

    #[test]
    fn what_is_no_model_stays_as_it_is() {
        let whole = model(&table_first(), 9);
        for end in 0..whole.len() {
            assert!(gather_first(&whole[..end]).is_none());
        }
        assert!(gather_first(b"no model at all").is_none());
        assert!(gather_first(&[255; 40]).is_none());
    }
}
