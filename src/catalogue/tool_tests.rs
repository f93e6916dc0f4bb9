//! What becomes of a tool.

use super::*;
use crate::settings::{Provider, SchemaDetail};

fn tool(schema: Option<&str>) -> Result<Tool, Refusal> {
    let mut tool = McpTool::new("read");
    tool.input_schema = schema.map(str::to_owned);
    tool.description = Some("Reads. Then stops.".into());
    Tool::new(&McpServer { name: "files".into(), ..McpServer::default() }, tool, "tools[3]")
}

#[test]
fn a_schema_is_kept_byte_by_byte() {
    let text = r##"{"z":1,  "a":{"$ref":"#"}, "n": 1.0e3}"##;
    assert_eq!(&*tool(Some(text)).unwrap().input_schema, text);
    assert_eq!(tool(Some(text)).unwrap().parts(SchemaDetail::Full).1, text);
    let right = r##"{ "type":"object",  "properties":{"a":{"$ref":"#"}}, "n": 1.0e3}"##;
    assert!(tool(Some(right)).unwrap().definition("n", SchemaDetail::Full, Provider::OpenaiChat).contains(right));
}

#[test]
fn a_schema_that_is_not_an_object_is_refused_naming_its_place() {
    for (text, reason) in [
        ("{", "tools[3].inputSchema: expected JSON text, got { (EOF while parsing an object at line 1 column 1)"),
        ("[]", "tools[3].inputSchema: expected a JSON object, got []"),
    ] {
        assert_eq!(tool(Some(text)).unwrap_err().to_string(), reason);
    }
    assert_eq!(&*tool(None).unwrap().input_schema, NO_INPUT);
    assert_eq!(&*tool(Some("true")).unwrap().input_schema, NO_INPUT);
}

#[test]
fn a_schema_of_ten_thousand_levels_is_kept() {
    let deep = format!("{}{}", r#"{"a":"#.repeat(10_000), "1".to_owned() + &"}".repeat(10_000));
    assert_eq!(tool(Some(&deep)).unwrap().input_schema.len(), deep.len());
    tool(Some(&deep)).unwrap().document();
}

#[test]
fn a_search_description_is_indexed_instead_of_the_shown_one() {
    let mut tool = McpTool::new("x");
    tool.description = Some("shown".into());
    tool.search_description = Some("hidden".into());
    let tool = Tool::new(&McpServer { name: "s".into(), ..McpServer::default() }, tool, "tool").unwrap();
    assert!(tool.document().terms.of("hidden") > 0 && tool.document().terms.of("shown") == 0);
    assert!(
        tool.definition("x", SchemaDetail::Full, Provider::OpenaiChat).contains("shown")
            && !tool.definition("x", SchemaDetail::Full, Provider::OpenaiChat).contains("hidden")
    );
}

#[test]
fn a_summary_is_the_first_sentence() {
    assert_eq!(tool(None).unwrap().summary(), "Reads.");
}

#[test]
fn a_definition_is_json_with_the_fields_of_a_function() {
    let definition = tool(None).unwrap().definition("mcp--files--read", SchemaDetail::Full, Provider::OpenaiChat);
    let value: serde_json::Value = serde_json::from_str(&definition).unwrap();
    assert_eq!(value["function"]["name"], "mcp--files--read");
    assert_eq!(value["function"]["parameters"]["type"], "object");
}
