//! Whether routing pays for a catalogue: what it saves against what it costs, in tokens.

/// What one call of `mcp_load` and its answer cost beside the definitions that it attaches: on 19
/// real servers 487 on average, 641 at most.
pub const LOAD_CALL_TOKENS: usize = 500;

/// See the module.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// Whether routing costs fewer tokens than sending every definition.
    pub pays: bool,
    /// Servers with a tool that is on.
    pub server_count: usize,
    /// Their tools that are on.
    pub tool_count: usize,
    /// Tokens of all definitions: what static loading costs with each request.
    pub catalogue_tokens: usize,
    /// Tokens of a definition, on average.
    pub mean_tool_tokens: f64,
    /// Tokens of the definitions that a first selection attaches, at that average.
    pub attached_tokens: usize,
    /// Tokens of routing itself: the definition of `mcp_load`, one call of it and its answer.
    pub routing_tokens: usize,
    /// `catalogue_tokens` less the other two, or 0.
    pub saved_tokens: usize,
    /// From how many tools of this average on routing pays.
    pub break_even_tools: usize,
    /// From how many servers of this average on.
    pub break_even_servers: usize,
}

impl Advice {
    /// Works it out for tools with these token counts, when `first_k` of them are attached.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts of tools and tokens are positive and far below 2^52"
    )]
    pub fn new(server_count: usize, token_counts: &[usize], mcp_load_tokens: usize, first_k: usize) -> Self {
        let (tool_count, catalogue_tokens) = (token_counts.len(), token_counts.iter().sum::<usize>());
        let mean = if tool_count == 0 { 0.0 } else { catalogue_tokens as f64 / tool_count as f64 };
        let attached_tokens = (mean * first_k.min(tool_count) as f64).round() as usize;
        let routing_tokens = mcp_load_tokens + LOAD_CALL_TOKENS;
        // n tools cost n times the mean; routed, first_k times the mean and routing itself.
        let break_even_tools = if mean > 0.0 { first_k + (routing_tokens as f64 / mean).floor() as usize + 1 } else { 0 };
        let tools_a_server = if server_count == 0 { 0.0 } else { tool_count as f64 / server_count as f64 };
        let break_even_servers =
            if tools_a_server > 0.0 { (break_even_tools as f64 / tools_a_server).ceil() as usize } else { 0 };
        let cost = attached_tokens + routing_tokens;
        Self {
            pays: tool_count > 0 && tool_count >= break_even_tools,
            server_count,
            tool_count,
            catalogue_tokens,
            mean_tool_tokens: mean,
            attached_tokens,
            routing_tokens,
            saved_tokens: catalogue_tokens.saturating_sub(cost),
            break_even_tools,
            break_even_servers,
        }
    }

    /// The advice in a sentence for a person.
    #[must_use]
    pub fn text(&self) -> String {
        if self.tool_count == 0 {
            return "there are no tools".into();
        }
        let Self { tool_count, server_count, catalogue_tokens, attached_tokens, routing_tokens, .. } = self;
        let verdict = if self.pays { "routing pays" } else { "routing does not pay" };
        format!(
            "{verdict}: {tool_count} tools of {server_count} servers cost {catalogue_tokens} tokens, routed \
             {attached_tokens} and {routing_tokens} for routing itself; it pays from {} tools ({} servers) of this size on",
            self.break_even_tools, self.break_even_servers
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routing_pays_from_the_break_even_on_and_not_one_tool_before() {
        let at = |count: usize| Advice::new(count.div_ceil(5), &vec![400; count], 300, 15);
        let advice = at(50);
        // 15 attached, and 800 tokens of routing are two tools more.
        assert_eq!((advice.break_even_tools, advice.break_even_servers), (18, 4));
        assert!(!at(17).pays && at(17).saved_tokens == 0);
        assert!(at(18).pays && at(18).saved_tokens == 400);
        assert_eq!((advice.catalogue_tokens, advice.attached_tokens, advice.saved_tokens), (20_000, 6_000, 13_200));
        assert!(advice.text().starts_with("routing pays: 50 tools of 10 servers cost 20000 tokens"));
    }

    #[test]
    fn nothing_to_route_never_pays() {
        let advice = Advice::new(0, &[], 300, 15);
        assert!(!advice.pays && advice.break_even_tools == 0);
        assert_eq!(advice.text(), "there are no tools");
    }
}
