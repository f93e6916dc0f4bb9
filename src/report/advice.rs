//! Whether routing pays for a catalogue: what it saves against what it costs, in tokens and in time, and whether the gate
//! lets it happen.

use super::ledger::LOAD_CALL_TOKENS;

#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// Whether routing costs fewer tokens than sending every definition, is as fast as asked for, and takes place.
    pub pays: bool,
    /// What speaks against it, nothing where it pays.
    pub against: Vec<Against>,
    /// Whether a task with the router's settings and every server in scope routes.
    pub routes: bool,
    /// The `threshold` with which the gate does what the tokens say.
    pub threshold: usize,
    /// How long the last turns were ranked, in milliseconds on average; 0 before the first.
    pub added_ms: f64,
    pub server_count: usize,
    pub tool_count: usize,
    /// Tokens of all definitions: what static loading costs with each request.
    pub catalogue_tokens: usize,
    /// Tokens of a definition, on average.
    pub mean_tool_tokens: f64,
    /// Tokens of the definitions that a first selection attaches, at that average.
    pub attached_tokens: usize,
    /// Tokens of routing itself: the definition of `mcp_load`, one call of it and its answer.
    pub routing_tokens: usize,
    /// Tokens of the directory at most, as the settings say.
    pub directory_tokens: usize,
    /// `catalogue_tokens` less the other three, or 0.
    pub saved_tokens: usize,
    /// From how many tools of this average on routing pays.
    pub break_even_tools: usize,
    /// From how many servers of this average on.
    pub break_even_servers: usize,
}

named! {
    /// What speaks against routing.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Against {
        /// There are no tools.
        NoTools = "no-tools",
        /// It costs more tokens than it saves.
        Tokens = "tokens",
        /// The gate attaches all tools: they are few for `threshold`, or `searchTurns` is 0.
        Gate = "gate",
        /// A ranking takes longer than asked for.
        Latency = "latency",
    }
}

/// What a catalogue offers a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    /// All tools.
    pub tool_count: usize,
    pub tokens: usize,
    pub mcp_load: usize,
    /// Definitions of a first selection.
    pub first_k: usize,
    /// The directory of the settings, 0 for none.
    pub directory_tokens: usize,
}

/// What advice uses besides tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Circumstances {
    /// Whether the gate routes.
    pub routes: bool,
    /// How long a turn is ranked, in milliseconds on average.
    pub added_ms: f64,
    /// The most that a turn may take longer, in milliseconds.
    pub most_ms: Option<f64>,
}

impl Advice {
    /// Works it out for what a catalogue of so many servers offers.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts of tools and tokens are positive and far below 2^52"
    )]
    pub fn new(server_count: usize, offer: &Offer, circumstances: &Circumstances) -> Self {
        let Offer { tool_count, tokens: catalogue_tokens, mcp_load, first_k, directory_tokens } = *offer;
        let mean = if tool_count == 0 { 0.0 } else { catalogue_tokens as f64 / tool_count as f64 };
        let attached_tokens = (mean * first_k.min(tool_count) as f64).round() as usize;
        let routing_tokens = mcp_load + LOAD_CALL_TOKENS;
        // n tools cost n times the mean; routed, first_k times the mean, routing itself and the directory.
        let beside = (routing_tokens + directory_tokens) as f64;
        let break_even_tools = if mean > 0.0 { first_k + (beside / mean).floor() as usize + 1 } else { 0 };
        let tools_a_server = if server_count == 0 { 0.0 } else { tool_count as f64 / server_count as f64 };
        let break_even_servers =
            if tools_a_server > 0.0 { (break_even_tools as f64 / tools_a_server).ceil() as usize } else { 0 };
        let cost = attached_tokens + routing_tokens + directory_tokens;
        let Circumstances { routes, added_ms, most_ms } = *circumstances;
        let saves = tool_count > 0 && tool_count >= break_even_tools;
        let against: Vec<Against> = [
            (tool_count == 0, Against::NoTools),
            (tool_count > 0 && !saves, Against::Tokens),
            (tool_count > 0 && !routes, Against::Gate),
            (most_ms.is_some_and(|most| added_ms > most), Against::Latency),
        ]
        .into_iter()
        .filter_map(|(holds, against)| holds.then_some(against))
        .collect();
        Self {
            pays: against.is_empty(),
            against,
            routes,
            threshold: break_even_tools.saturating_sub(1),
            added_ms,
            server_count,
            tool_count,
            catalogue_tokens,
            mean_tool_tokens: mean,
            attached_tokens,
            routing_tokens,
            directory_tokens,
            saved_tokens: catalogue_tokens.saturating_sub(cost),
            break_even_tools,
            break_even_servers,
        }
    }

    /// The advice in a sentence for a person.
    pub fn text(&self) -> String {
        if self.tool_count == 0 {
            return "there are no tools".into();
        }
        let Self { tool_count, server_count, catalogue_tokens, attached_tokens, threshold, .. } = self;
        let routing_tokens = self.routing_tokens + self.directory_tokens;
        let verdict = if self.pays { "routing pays" } else { "routing does not pay" };
        let saves = !self.against.contains(&Against::Tokens);
        let gate = match (saves, self.routes) {
            (true, false) => format!("; the gate attaches all of them, and would route with a threshold of {threshold}"),
            (false, true) => format!("; the gate routes all the same, and would not with a threshold of {threshold}"),
            _ => String::new(),
        };
        let latency = if self.against.contains(&Against::Latency) {
            format!("; a ranking takes {:.0} ms, which is longer than asked for", self.added_ms)
        } else {
            String::new()
        };
        format!(
            "{verdict}: {tool_count} tools of {server_count} servers cost {catalogue_tokens} tokens, routed \
             {attached_tokens} and {routing_tokens} for routing itself; it saves tokens from {} tools ({} servers) of this size \
             on{gate}{latency}",
            self.break_even_tools, self.break_even_servers
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routed() -> Circumstances {
        Circumstances { routes: true, added_ms: 8.0, most_ms: None }
    }

    fn offer(tool_count: usize) -> Offer {
        Offer { tool_count, tokens: 400 * tool_count, mcp_load: 300, first_k: 15, directory_tokens: 0 }
    }

    #[test]
    fn what_the_gate_does_not_let_happen_or_takes_too_long_does_not_pay() {
        let advice = |circumstances: Circumstances| Advice::new(10, &offer(50), &circumstances);
        let gated = advice(Circumstances { routes: false, ..routed() });
        assert_eq!((gated.pays, &*gated.against, gated.threshold), (false, &[Against::Gate][..], 17));
        assert!(gated.text().ends_with("would route with a threshold of 17"));
        let slow = advice(Circumstances { most_ms: Some(5.0), ..routed() });
        assert_eq!((slow.pays, &*slow.against), (false, &[Against::Latency][..]));
        assert!(advice(Circumstances { most_ms: Some(8.0), ..routed() }).pays);
    }

    #[test]
    fn routing_pays_from_the_break_even_on_and_not_one_tool_before() {
        let at = |count: usize| Advice::new(count.div_ceil(5), &offer(count), &routed());
        let advice = at(50);
        // 15 attached, and 800 tokens of routing are two tools more.
        assert_eq!((advice.break_even_tools, advice.break_even_servers), (18, 4));
        assert!(!at(17).pays && at(17).saved_tokens == 0);
        assert!(at(18).pays && at(18).saved_tokens == 400);
        assert_eq!((advice.catalogue_tokens, advice.attached_tokens, advice.saved_tokens), (20_000, 6_000, 13_200));
        assert!(advice.text().starts_with("routing pays: 50 tools of 10 servers cost 20000 tokens"));
    }

    #[test]
    fn a_directory_costs_its_tokens_before_routing_pays() {
        let with_directory = Advice::new(10, &Offer { directory_tokens: 2_000, ..offer(50) }, &routed());
        assert_eq!((with_directory.break_even_tools, with_directory.saved_tokens), (23, 11_200));
    }

    #[test]
    fn nothing_to_route_never_pays() {
        let advice = Advice::new(0, &offer(0), &routed());
        assert!(!advice.pays && advice.break_even_tools == 0);
        assert_eq!(advice.text(), "there are no tools");
    }
}
