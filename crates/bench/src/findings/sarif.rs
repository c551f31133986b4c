//! SARIF 2.1.0. Tools put the numbers of weaknesses into different places: tags and properties of the rule or of the result,
//! taxa, relationships, the rule's id.

use super::Finding;
use crate::pattern::pattern;
use anyhow::Context;
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

pattern!(TAG, r"(?i)(?:CWE[-_/ ]*|^)(\d+)");
pattern!(ID, r"(?i)CWE-?(\d+)");

/// Longer messages are cut.
const MESSAGE: usize = 300;

pub fn read(text: &str) -> anyhow::Result<Vec<Finding>> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let start = text.find('{').context("no SARIF")?;
    let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
    let document = values.next().context("no SARIF")??;
    let mut found = Vec::new();
    for run in list(&document["runs"]) {
        let rules = list(&run["tool"]["driver"]["rules"]);
        for result in list(&run["results"]) {
            found.extend(finding(run, rules, result));
        }
    }
    Ok(found)
}

fn finding(run: &Value, rules: &[Value], result: &Value) -> Option<Finding> {
    if !list(&result["suppressions"]).is_empty() {
        return None;
    }
    let kind = result["kind"].as_str().unwrap_or("fail");
    if !["fail", "open", "review"].contains(&kind) {
        return None;
    }
    let id = result["ruleId"].as_str().or(result["rule"]["id"].as_str());
    let id = id.unwrap_or_default();
    let index = result["ruleIndex"]
        .as_u64()
        .or(result["rule"]["index"].as_u64());
    let rule = rules
        .iter()
        .rev()
        .find(|rule| rule["id"].as_str() == Some(id))
        .or_else(|| rules.get(usize::try_from(index?).ok()?))
        .unwrap_or(&Value::Null);
    let place = &list(&result["locations"]).first()?["physicalLocation"];
    let mut cwes = numbers(rule);
    cwes.extend(numbers(result));
    cwes.extend(captured(&ID, id));
    cwes.sort_unstable();
    cwes.dedup();
    let message = &result["message"];
    let text = message["text"].as_str().or(message["markdown"].as_str());
    let level = result["level"]
        .as_str()
        .or(rule["defaultConfiguration"]["level"].as_str());
    Some(Finding {
        file: file(run, &place["artifactLocation"])?,
        line: place["region"]["startLine"]
            .as_u64()
            .and_then(|n| usize::try_from(n).ok())
            .unwrap_or(0),
        rule: match id {
            "" => rule["id"].as_str().unwrap_or("?").to_string(),
            id => id.to_string(),
        },
        message: text.unwrap_or_default().chars().take(MESSAGE).collect(),
        cwes,
        severity: level.unwrap_or("warning").to_string(),
    })
}

/// The path of a location, which may be named by its number, relative to a base, and as a URL.
fn file(run: &Value, artifact: &Value) -> Option<String> {
    let uri = match artifact["uri"].as_str() {
        Some(uri) => uri,
        None => {
            let index = usize::try_from(artifact["index"].as_u64()?).ok()?;
            run["artifacts"][index]["location"]["uri"].as_str()?
        }
    };
    let base = match artifact["uriBaseId"].as_str() {
        Some(base) if !uri.contains("://") => run["originalUriBaseIds"][base]["uri"].as_str(),
        _ => None,
    };
    let whole = format!("{}{uri}", base.unwrap_or_default());
    Some(decode(whole.strip_prefix("file://").unwrap_or(&whole)))
}

/// `%20` is a space.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Numbers of weaknesses that a rule or a result names.
fn numbers(of: &Value) -> Vec<u32> {
    let properties = &of["properties"];
    let mut tags: Vec<String> = list(&properties["tags"]).iter().map(plain).collect();
    for key in ["cwe", "cwes", "CWE"] {
        match &properties[key] {
            Value::Null => {}
            Value::Array(values) => tags.extend(values.iter().map(plain)),
            value => tags.push(plain(value)),
        }
    }
    tags.extend(list(&of["taxa"]).iter().map(|taxon| plain(&taxon["id"])));
    let targets = list(&of["relationships"]).iter();
    tags.extend(targets.map(|relation| plain(&relation["target"]["id"])));
    tags.iter()
        .filter_map(|tag| captured(&TAG, tag).first().copied())
        .collect()
}

fn captured(pattern: &Regex, text: &str) -> Vec<u32> {
    let found = pattern.captures_iter(text);
    found.filter_map(|number| number[1].parse().ok()).collect()
}

fn plain(value: &Value) -> String {
    match value.as_str() {
        Some(text) => text.to_string(),
        None => value.to_string(),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn places_and_numbers_are_found_wherever_they_are() {
        let text = json!({ "runs": [{
            "tool": { "driver": { "rules": [
                { "id": "r", "properties": { "tags": ["external/cwe/cwe-476", "correctness"] } },
                { "id": "s", "defaultConfiguration": { "level": "note" } },
            ] } },
            "originalUriBaseIds": { "ROOT": { "uri": "file:///a%20b/" } },
            "artifacts": [{ "location": { "uri": "file:///by/number.c" } }],
            "results": [
                {
                    "ruleId": "r", "level": "error", "message": { "text": "m" },
                    "locations": [{ "physicalLocation": {
                        "artifactLocation": { "uri": "c.c", "uriBaseId": "ROOT" }, "region": { "startLine": 7 } } }],
                },
                {
                    "ruleIndex": 1, "message": { "markdown": "n" }, "taxa": [{ "id": "369" }],
                    "locations": [{ "physicalLocation": { "artifactLocation": { "index": 0 } } }],
                },
                { "ruleId": "r", "kind": "pass", "locations": [{}] },
                { "ruleId": "r", "suppressions": [{}], "locations": [{}] },
            ],
        }] })
        .to_string();
        let found = read(&format!("noise\n{text}\nmore")).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].file.as_str(), found[0].line), ("/a b/c.c", 7));
        assert_eq!(
            (found[0].cwes.as_slice(), found[0].severity.as_str()),
            (&[476][..], "error")
        );
        assert_eq!(
            (found[1].file.as_str(), found[1].rule.as_str()),
            ("/by/number.c", "s")
        );
        assert_eq!(
            (found[1].cwes.as_slice(), found[1].severity.as_str()),
            (&[369][..], "note")
        );
        assert!(read("").unwrap().is_empty());
        assert!(read("no").is_err());
    }
}
