//! The ranking of tools: both arms over the whole query and its clauses, joined, with names, uses and
//! unwanted products.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::evidence::Arms;
use super::fusion::{lexical_weight, standardise_by};
use super::preference::UsePreference;
use super::prototypes::HEAD;
use super::semantic::{Estimate, standardise_known};
use super::signals::Signals;
use super::{Corpus, RankedTool, Ranking, SUPPORTING_DEVIATIONS, SemanticInput, Shares, harmless, implied, number, semantic};
use crate::query::{Clause, Naming, Query};
use crate::settings::Ranker;

/// The most that uses add: about the distance between neighbours among the first ten.
const USE_BONUS: f64 = 0.25;
/// The most that terms of earlier requests add: more, because they say what for. A request in other words shares a third of them,
/// which is worth 0.3; the best of a ranking stand 3 to 6 above its mean. Of 53 tasks that were asked for again, 42 are complete
/// so by words alone, with 1.0 it is 41, with 3.5 44; with vectors it makes no difference, and tasks that are new get no worse.
const LEARNED_BONUS: f64 = 2.0;
/// What the best clause weighs beside the whole query: as much with vectors, half without, where a
/// clause of two words says little.
const CLAUSE_WEIGHT: f64 = 1.0;
const LEXICAL_CLAUSE_WEIGHT: f64 = 0.5;
/// Ranks the candidates. The order is total: score, then position. The same input gives the same
/// bytes on every run and thread. Costs about half a millisecond for 3,500 tools.
pub fn rank(
    corpus: &dyn Corpus,
    candidates: &[usize],
    query: &Query,
    semantic: Option<SemanticInput<'_>>,
    preference: &UsePreference,
    top_k: usize,
) -> Ranking {
    crate::fault::point("ranking");
    let lexical = lexical_scores(corpus, candidates, &query.terms);
    let similarities = semantic.map(|input| semantic::similarities(&input.query.whole, input.tools, candidates));
    let (whole, clauses) = parts(corpus, candidates, query, &lexical, semantic.zip(similarities.as_deref()));
    let arms = Arms {
        standard_lexical: &whole.lexical,
        standard_semantic: &whole.semantic,
        lexical: &lexical,
        similarities: similarities.as_deref(),
        clause_best: clauses.iter().filter_map(|clause| clause.best_cosine).collect(),
        known_scale: semantic.is_some_and(|input| input.known_scale),
        semantic: semantic.map(|input| (input, candidates)),
    };
    let (ranker, weights) = match semantic {
        None => (Ranker::Lexical, Weights { lexical: 1.0, semantic: 0.0, clause: LEXICAL_CLAUSE_WEIGHT }),
        Some(input) if input.alone => (Ranker::Semantic, Weights { lexical: 0.0, semantic: 1.0, clause: CLAUSE_WEIGHT }),
        Some(_) => {
            let weight = lexical_weight(coverage(&whole, &clauses));
            (Ranker::Hybrid, Weights { lexical: weight, semantic: 1.0 - weight, clause: CLAUSE_WEIGHT })
        }
    };
    let boosts = Boosts::of(corpus, query, preference);
    let has_vector = |at: usize| similarities.as_ref().is_some_and(|similarities| !similarities[at].is_nan());
    let estimate =
        similarities.as_ref().filter(|similarities| similarities.iter().any(|similarity| similarity.is_nan())).map(|_| {
            let known = (0..candidates.len()).filter(|at| has_vector(*at)).map(|at| weights.shares(&whole, &clauses, at));
            Estimate::new(known.map(|(lexical, semantic, _)| (lexical, semantic)))
        });
    let of_arms = |at: usize| {
        let (lexical_share, semantic_share, clause) = weights.shares(&whole, &clauses, at);
        let estimate = estimate.as_ref().filter(|_| !has_vector(at));
        (lexical_share, estimate.map_or(semantic_share, |estimate| estimate.semantic_share(lexical_share)), clause)
    };
    let shares_of = |at: usize, first_of_name: bool| {
        let position = candidates[at];
        let (lexical_share, semantic_share, clause) = of_arms(at);
        let near = |part: &Part| part.semantic.get(at).is_some_and(|similarity| *similarity >= SUPPORTING_DEVIATIONS);
        let naming = boosts.naming(position);
        let may_be_negated = !query.negated.products.is_empty() && naming == Naming::None;
        let negated = may_be_negated && query.negated.covers(corpus.document(position));
        let spoken_for = lexical[at] > 0.0 || naming != Naming::None || near(&whole) || clauses.iter().any(near);
        let supported = spoken_for && !negated;
        Shares {
            lexical: lexical[at],
            lexical_share,
            similarity: similarities.as_ref().map(|similarities| similarities[at]).filter(|similarity| !similarity.is_nan()),
            semantic_share,
            implied_share: 0.0,
            clause,
            naming,
            first_of_name,
            use_boost: if supported { boosts.of_uses(position) } else { 0.0 },
            negated,
            held_back: 0.0,
            supported,
        }
    };
    let both = |(lexical, semantic, _): (f64, f64, Option<usize>)| lexical + semantic;
    let implied = implied::shares(corpus, candidates, query, |at| both(of_arms(at)), |at| shares_of(at, false));
    let shares_of = |at: usize, first_of_name: bool| {
        let mut shares = shares_of(at, first_of_name);
        if let Some(share) = implied.get(&at) {
            shares.implied_share = *share;
            shares.supported |= !shares.negated;
        }
        shares
    };
    let first = boosts.first_of_names(corpus, candidates, |at| shares_of(at, false).score());
    let shares_of = |at: usize| shares_of(at, first.contains(&at));
    let mut supported_count = 0;
    // The head is sorted whatever is asked for: evidence is read off it. Some are held back later, and others step in.
    let mut best = Best::new(candidates, top_k.max(HEAD) + harmless::MOST_HELD_BACK);
    // Of most candidates only the score is looked at, and of those that nothing matches, only as many as may be among the
    // best: they have one score, and the first come first.
    let mut unmatched = Unmatched::new(candidates, &lexical, (&whole, &clauses), best.most)
        .filter(|_| semantic.is_none() && query.negated.products.is_empty() && boosts.named.is_empty() && implied.is_empty());
    for at in 0..candidates.len() {
        if unmatched.as_mut().is_some_and(|unmatched| unmatched.passes_over(at)) {
            continue;
        }
        let shares = shares_of(at);
        supported_count += usize::from(shares.supported);
        best.add(shares.score(), at);
    }
    let tool_of = |(score, at): (f64, usize)| RankedTool { position: candidates[at], rank: 0, score, shares: shares_of(at) };
    let mut tools: Vec<RankedTool> = best.in_order().into_iter().map(tool_of).collect();
    let score_of = |at: usize| Some(shares_of(at)).filter(|shares| shares.supported).map(|shares| shares.score());
    harmless::hold_back(corpus, candidates, &mut tools, query, score_of);
    let signals = Signals::of(corpus, query, &arms, &tools);
    tools.truncate(top_k);
    number(&mut tools);
    Ranking {
        tools,
        ranker,
        degraded: None,
        candidate_count: candidates.len(),
        supported_count,
        evidence: if candidates.is_empty() { 0.0 } else { signals.evidence() },
        in_task: None,
        signals: Some(signals),
        query_cut: query.cut,
    }
}

/// What exact names and uses add: few tools have any, so those are looked up instead of asking all.
struct Boosts {
    /// By position.
    named: Vec<(usize, Naming)>,
    /// By position.
    used: Vec<(usize, f64)>,
}

impl Boosts {
    fn of(corpus: &dyn Corpus, query: &Query, preference: &UsePreference) -> Self {
        let found = query.name_keys().flat_map(|key| corpus.with_key(key));
        let named = found.map(|position| (position, query.naming(corpus.document(position))));
        let mut named: Vec<(usize, Naming)> = named.filter(|(_, naming)| *naming != Naming::None).collect();
        named.sort_unstable();
        named.dedup();
        let of_uses = preference.tools().filter_map(|id| Some((corpus.position(id)?, preference.of(id) * USE_BONUS)));
        let learned = learned(corpus, query, preference);
        let mut used: BTreeMap<usize, f64> = BTreeMap::new();
        for (position, bonus) in of_uses.chain(learned) {
            *used.entry(position).or_default() += bonus;
        }
        let used = used.into_iter().collect();
        Self { named, used }
    }

    fn naming(&self, position: usize) -> Naming {
        self.named.binary_search_by_key(&position, |(at, _)| *at).map_or(Naming::None, |at| self.named[at].1)
    }

    fn of_uses(&self, position: usize) -> f64 {
        self.used.binary_search_by_key(&position, |(at, _)| *at).map_or(0.0, |at| self.used[at].1)
    }

    /// Where a query names several tools, the best of each name comes before a second one of any: six
    /// names that five servers share would fill a list with twins of the first.
    fn first_of_names(&self, corpus: &dyn Corpus, candidates: &[usize], score: impl Fn(usize) -> f64) -> HashSet<usize> {
        let mut best: HashMap<&str, (f64, usize)> = HashMap::new();
        if self.named.len() > 1 {
            for (at, position) in candidates.iter().enumerate().filter(|(_, at)| self.naming(**at) == Naming::Tool) {
                let score = score(at);
                let first = best.entry(&corpus.document(*position).tool_key).or_insert((score, at));
                if score > first.0 {
                    *first = (score, at);
                }
            }
        }
        if best.len() > 1 { best.into_values().map(|(_, at)| at).collect() } else { HashSet::new() }
    }
}

/// What earlier requests of the same terms add to the tools that they led to.
fn learned(corpus: &dyn Corpus, query: &Query, preference: &UsePreference) -> Vec<(usize, f64)> {
    if preference.learned().is_empty() {
        return Vec::new();
    }
    let terms = query.terms.iter().filter(|(_, weight)| *weight >= 1.0);
    let said = preference.learned().of(terms.map(|(term, _)| (term.clone(), corpus.lexical().idf(term))));
    said.iter().filter_map(|(id, said)| Some((corpus.position(id)?, LEARNED_BONUS * said))).collect()
}

/// Candidates that hold no term of the request.
struct Unmatched<'a> {
    lexical: &'a [f64],
    parts: (&'a Part, &'a [Part]),
    /// One of them.
    first: usize,
    /// How many of the next may still be among the best.
    left: usize,
}

impl<'a> Unmatched<'a> {
    /// `None` where there are none, or where the first do not come first.
    fn new(candidates: &[usize], lexical: &'a [f64], parts: (&'a Part, &'a [Part]), most: usize) -> Option<Self> {
        let first = lexical.iter().position(|score| *score <= 0.0).filter(|_| candidates.is_sorted())?;
        Some(Self { lexical, parts, first, left: most })
    }

    /// Whether so many candidates before it have the same score that it is not among the best.
    fn passes_over(&mut self, at: usize) -> bool {
        let same = |part: &Part| part.lexical[at].to_bits() == part.lexical[self.first].to_bits();
        if self.lexical[at] > 0.0 || !same(self.parts.0) || !self.parts.1.iter().all(same) {
            return false;
        }
        let passes = self.left == 0;
        self.left = self.left.saturating_sub(1);
        passes
    }
}

/// The best of many scores, by score and then by position.
struct Best<'a> {
    candidates: &'a [usize],
    most: usize,
    kept: Vec<(f64, usize)>,
    /// Worse ones are not among the best.
    worst: Option<(f64, usize)>,
}

impl<'a> Best<'a> {
    fn new(candidates: &'a [usize], most: usize) -> Self {
        Self { candidates, most, kept: Vec::new(), worst: None }
    }

    fn compare(candidates: &[usize], a: &(f64, usize), b: &(f64, usize)) -> Ordering {
        b.0.total_cmp(&a.0).then_with(|| candidates[a.1].cmp(&candidates[b.1]))
    }

    fn add(&mut self, score: f64, at: usize) {
        let new = (score, at);
        if self.most == 0 || self.worst.is_some_and(|worst| Self::compare(self.candidates, &new, &worst).is_gt()) {
            return;
        }
        self.kept.push(new);
        // So that dropping costs little per score.
        if self.kept.len() >= 2 * self.most {
            let by_score = |a: &_, b: &_| Self::compare(self.candidates, a, b);
            let (_, worst, _) = self.kept.select_nth_unstable_by(self.most - 1, by_score);
            self.worst = Some(*worst);
            self.kept.truncate(self.most);
        }
    }

    fn in_order(mut self) -> Vec<(f64, usize)> {
        self.kept.sort_unstable_by(|a, b| Self::compare(self.candidates, a, b));
        self.kept.truncate(self.most);
        self.kept
    }
}

/// Standardised scores of a query or of one of its clauses, by candidate.
struct Part {
    /// How much of its rarity the best tool holds.
    coverage: f64,
    lexical: Vec<f64>,
    /// Empty without vectors.
    semantic: Vec<f64>,
    /// The best cosine of a clause that has a vector of its own.
    best_cosine: Option<f64>,
}

/// Weights of the arms, and of the best clause beside the whole.
#[derive(Clone, Copy)]
struct Weights {
    lexical: f64,
    semantic: f64,
    clause: f64,
}

impl Weights {
    fn of(self, part: &Part, at: usize) -> (f64, f64) {
        (self.lexical * part.lexical[at], self.semantic * part.semantic.get(at).copied().unwrap_or(0.0))
    }

    /// The shares of a candidate: the mean of the whole and of the clause that suits it best.
    fn shares(self, whole: &Part, clauses: &[Part], at: usize) -> (f64, f64, Option<usize>) {
        let whole = self.of(whole, at);
        let of_clauses = clauses.iter().map(|clause| self.of(clause, at)).enumerate();
        let better = |best: (usize, (f64, f64)), other: (usize, (f64, f64))| {
            if other.1.0 + other.1.1 > best.1.0 + best.1.1 { other } else { best }
        };
        let Some((clause, best)) = of_clauses.reduce(better) else {
            return (whole.0, whole.1, None);
        };
        let mean = |whole: f64, clause: f64| (whole + self.clause * clause) / (1.0 + self.clause);
        (mean(whole.0, best.0), mean(whole.1, best.1), Some(clause))
    }
}

/// The coverage of a query: that of all of it, or the mean of its clauses', if more. No tool covers
/// what asks for three things.
#[expect(clippy::cast_precision_loss, reason = "clauses are few")]
fn coverage(whole: &Part, clauses: &[Part]) -> f64 {
    let sum: f64 = clauses.iter().map(|clause| clause.coverage).sum();
    whole.coverage.max(sum / clauses.len().max(1) as f64)
}

fn lexical_scores(corpus: &dyn Corpus, candidates: &[usize], terms: &[(String, f64)]) -> Vec<f64> {
    let all = corpus.lexical().scores(terms);
    if candidates.len() == all.len() && candidates.is_sorted() {
        return all; // all of them
    }
    candidates.iter().map(|position| all[*position]).collect()
}

/// Standardises the scores of the whole query and works out those of its clauses.
///
/// BM25 of a clause is counted in units of the whole query's deviation: in its own, a clause of
/// common words would speak as loud as one of rare ones (requests of several sentences in the
/// catalogue: 43 of 100 found in place of 74).
fn parts(
    corpus: &dyn Corpus,
    candidates: &[usize],
    query: &Query,
    lexical: &[f64],
    semantic: Option<(SemanticInput<'_>, &[f64])>,
) -> (Part, Vec<Part>) {
    let similarities = semantic.map(|(_, similarities)| similarities.to_vec());
    let covered =
        |terms: &[(String, f64)], scores: &[f64]| corpus.lexical().coverage(terms, scores.iter().copied().fold(0.0, f64::max));
    let coverage = covered(&query.terms, lexical);
    let mut whole = Part { coverage, lexical: lexical.to_vec(), semantic: similarities.unwrap_or_default(), best_cosine: None };
    let unit = standardise_by(&mut whole.lexical, 0.0);
    standardise_known(&mut whole.semantic);
    let clause = |(at, clause): (usize, &Clause)| {
        let mut lexical = lexical_scores(corpus, candidates, &clause.terms);
        let coverage = covered(&clause.terms, &lexical);
        standardise_by(&mut lexical, unit);
        let vector = semantic.and_then(|(input, _)| Some((input, input.query.clauses.get(at)?)));
        let own = vector.map(|(input, vector)| {
            let mut similarities = semantic::similarities(vector, input.tools, candidates);
            let best = similarities.iter().copied().reduce(f64::max);
            standardise_known(&mut similarities);
            (similarities, best)
        });
        let best_cosine = own.as_ref().and_then(|(_, best)| *best);
        // An embedder that gives one vector a text: the clause is told apart by its words.
        Part { coverage, lexical, semantic: own.map_or_else(|| whole.semantic.clone(), |(own, _)| own), best_cosine }
    };
    let clauses = query.clauses.iter().enumerate().map(clause).collect();
    (whole, clauses)
}
