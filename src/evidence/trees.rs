//! Decision trees as text, one per line.

/// A node of a tree, in the order in which a tree is written: a split, its lower side, its upper side.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Node {
    /// Lower where the value is at most this; the upper side begins at `upper`.
    Split { value: usize, at_most: f64, upper: usize },
    /// What the tree adds.
    Leaf(f64),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Tree(Vec<Node>);

impl Tree {
    /// Reads a split with both of its sides, or a leaf. What is not understood adds nothing.
    pub fn read<'a>(words: &mut impl Iterator<Item = &'a str>, names: &[&str]) -> Self {
        let mut nodes = Vec::new();
        read(words, names, &mut nodes);
        Self(nodes)
    }

    /// What it adds for these values, which stand in the order of the names that it was read with.
    pub fn of(&self, values: &[f64]) -> f64 {
        let mut at = 0;
        loop {
            match self.0.get(at) {
                Some(Node::Split { value, at_most, upper }) => at = if values[*value] <= *at_most { at + 1 } else { *upper },
                Some(Node::Leaf(value)) => return *value,
                None => return 0.0,
            }
        }
    }
}

fn read<'a>(words: &mut impl Iterator<Item = &'a str>, names: &[&str], nodes: &mut Vec<Node>) {
    let word = words.next().unwrap_or_default();
    let Some(value) = names.iter().position(|known| *known == word) else {
        nodes.push(Node::Leaf(word.parse().unwrap_or(0.0)));
        return;
    };
    let at_most = words.next().and_then(|word| word.parse().ok()).unwrap_or(0.0);
    let place = nodes.len();
    nodes.push(Node::Leaf(0.0));
    read(words, names, nodes);
    nodes[place] = Node::Split { value, at_most, upper: nodes.len() };
    read(words, names, nodes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_followed_by_its_values() {
        let tree = Tree::read(&mut "a 1.5 -2 b 0.5 3 4".split(' '), &["a", "b"]);
        assert_eq!(tree.0.len(), 5);
        assert_eq!(
            [[1.5, 1.0], [1.6, 0.5], [1.6, 0.6]].map(|values| tree.of(&values).to_bits()),
            [-2.0, 3.0, 4.0].map(f64::to_bits)
        );
    }

    #[test]
    fn each_split_leads_down_and_what_is_damaged_adds_nothing() {
        let tree = Tree::read(&mut "a 1 b".split(' '), &["a", "b"]);
        assert!(tree.of(&[0.0, 0.0]).abs() < 1e-9 && tree.of(&[2.0, 0.0]).abs() < 1e-9);
        assert!(Tree::read(&mut "".split(' '), &["a"]).of(&[0.0]).abs() < 1e-9);
    }
}
