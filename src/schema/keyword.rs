//! What a keyword of JSON Schema holds.

/// What stands below a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A schema by each name.
    Map,
    /// A list of schemas.
    List,
    /// A schema.
    Schema,
    /// A value of its own form.
    Value,
}

/// What a keyword holds; `None` for one that nobody knows.
pub fn kind(keyword: &str) -> Option<Kind> {
    Some(match keyword {
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => Kind::Map,
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => Kind::List,
        "items"
        | "additionalProperties"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contains"
        | "propertyNames"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contentSchema" => Kind::Schema,
        "type" | "enum" | "const" | "default" | "examples" | "required" | "dependentRequired" | "dependencies" | "multipleOf"
        | "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "minLength" | "maxLength" | "minItems"
        | "maxItems" | "minProperties" | "maxProperties" | "minContains" | "maxContains" | "uniqueItems" | "deprecated"
        | "readOnly" | "writeOnly" | "title" | "description" | "$comment" | "format" | "contentEncoding" | "contentMediaType"
        | "pattern" | "$schema" | "$id" | "$anchor" | "$dynamicAnchor" | "$ref" | "$dynamicRef" | "$recursiveRef"
        | "$vocabulary" => Kind::Value,
        _ => return None,
    })
}
