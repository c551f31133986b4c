//! The part of SARIF 2.1.0 that rigel writes, object by object (the section of the standard
//! behind each). Only what some reader uses: see the module above for who.

use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// §3.13
#[derive(Serialize)]
pub struct Log {
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    pub version: &'static str,
    pub runs: Vec<Run>,
}

/// §3.14
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    pub tool: Tool,
    pub invocations: Vec<Invocation>,
    pub original_uri_base_ids: BTreeMap<&'static str, ArtifactLocation>,
    pub column_kind: &'static str,
    pub taxonomies: Vec<ToolComponent>,
    pub results: Vec<Result>,
    pub properties: BTreeMap<&'static str, Value>,
}

/// §3.18
#[derive(Serialize)]
pub struct Tool {
    pub driver: ToolComponent,
}

/// §3.19
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolComponent {
    pub name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantic_version: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub organization: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_description: Option<Message>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supported_taxonomies: Vec<ToolComponentReference>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<ReportingDescriptor>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub taxa: Vec<ReportingDescriptor>,
}

/// §3.54
#[derive(Serialize)]
pub struct ToolComponentReference {
    pub name: &'static str,
    pub index: usize,
}

/// §3.49: a rule, or an entry of a taxonomy.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportingDescriptor {
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_description: Option<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_description: Option<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_configuration: Option<ReportingConfiguration>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relationships: Vec<Relationship>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: BTreeMap<&'static str, Value>,
}

/// §3.50
#[derive(Serialize)]
pub struct ReportingConfiguration {
    pub level: &'static str,
}

/// §3.53
#[derive(Serialize)]
pub struct Relationship {
    pub target: DescriptorReference,
    pub kinds: [&'static str; 1],
}

/// §3.52
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DescriptorReference {
    pub id: String,
    pub index: usize,
    pub tool_component: ToolComponentReference,
}

/// §3.11 and §3.12
#[derive(Serialize)]
pub struct Message {
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markdown: Option<String>,
}

impl Message {
    pub fn new(text: impl Into<String>) -> Message {
        Message {
            text: text.into(),
            markdown: None,
        }
    }
}

/// §3.20
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Invocation {
    pub arguments: Vec<String>,
    pub working_directory: ArtifactLocation,
    pub exit_code: i32,
    pub execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_execution_notifications: Vec<Notification>,
}

/// §3.58
#[derive(Serialize)]
pub struct Notification {
    pub level: &'static str,
    pub message: Message,
}

/// §3.27
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Result {
    pub rule_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_index: Option<usize>,
    pub kind: &'static str,
    pub level: &'static str,
    pub message: Message,
    pub locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub code_flows: Vec<CodeFlow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_locations: Vec<Location>,
    pub partial_fingerprints: BTreeMap<&'static str, String>,
    pub properties: BTreeMap<&'static str, Value>,
}

/// §3.28
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub physical_location: Option<PhysicalLocation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logical_locations: Vec<LogicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
}

/// §3.29
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PhysicalLocation {
    pub artifact_location: ArtifactLocation,
    pub region: Region,
}

/// §3.4
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactLocation {
    pub uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri_base_id: Option<&'static str>,
}

/// §3.30
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Region {
    pub start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_column: Option<usize>,
    pub end_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<usize>,
}

/// §3.33
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LogicalLocation {
    pub fully_qualified_name: String,
    pub kind: &'static str,
}

/// §3.36
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CodeFlow {
    pub thread_flows: [ThreadFlow; 1],
}

/// §3.37
#[derive(Serialize)]
pub struct ThreadFlow {
    pub locations: Vec<ThreadFlowLocation>,
}

/// §3.38
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadFlowLocation {
    pub location: Location,
    pub kinds: &'static [&'static str],
    pub nesting_level: u32,
    pub importance: &'static str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub state: BTreeMap<String, Message>,
}
