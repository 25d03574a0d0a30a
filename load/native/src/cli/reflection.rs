//! The definitions of a running gRPC server, as its service of reflection shows them.

use std::collections::{BTreeMap, BTreeSet};

use prost::{Message as _, Oneof};
use prost_reflect::DescriptorPool;
use prost_reflect::prost_types::{FileDescriptorProto, FileDescriptorSet};

use crate::engine::{self, Answer, LoneRequests, Message, NoAnswer};
use crate::plan::Transport;
use crate::wire::Code;

/// The service by its names, the newest first: their messages are the same.
const METHODS: [&str; 2] = [
    "grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
];
/// Services of gRPC itself, which are no part of an API.
const OF_GRPC: [&str; 2] = ["grpc.reflection.", "grpc.health."];
const UNIMPLEMENTED: u8 = 12;
const NOT_FOUND: i32 = 5;
/// A server could name a new file in each reply.
const MOST_FILES: usize = 2_000;
const SHOWN: usize = 12;

/// Why a server shows no definitions.
#[derive(Debug, thiserror::Error)]
pub enum ReflectionError {
    #[error("{0}")]
    NoAnswer(NoAnswer),
    /// The server answers, and has no such service, or shows nothing that can be used.
    #[error("{0}")]
    Refused(String),
}

impl ReflectionError {
    fn refused(words: impl Into<String>) -> Self {
        Self::Refused(words.into())
    }
}

#[derive(Clone, PartialEq, prost::Message)]
struct Asking {
    #[prost(oneof = "Question", tags = "3, 4, 7")]
    question: Option<Question>,
}

#[derive(Clone, PartialEq, Oneof)]
enum Question {
    #[prost(string, tag = "3")]
    FileNamed(String),
    #[prost(string, tag = "4")]
    FileOfSymbol(String),
    #[prost(string, tag = "7")]
    Services(String),
}

#[derive(Clone, PartialEq, prost::Message)]
struct Answering {
    #[prost(message, optional, tag = "4")]
    files: Option<Files>,
    #[prost(message, optional, tag = "6")]
    services: Option<Services>,
    #[prost(message, optional, tag = "7")]
    error: Option<Refusal>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Files {
    #[prost(bytes = "vec", repeated, tag = "1")]
    encoded: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Services {
    #[prost(message, repeated, tag = "1")]
    listed: Vec<Listed>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Listed {
    #[prost(string, tag = "1")]
    name: String,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Refusal {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(string, tag = "2")]
    message: String,
}

/// The file that declares a service, and all that it imports.
///
/// # Errors
/// The server does not answer, has no reflection, or not this service.
pub fn definitions_of(transport: &Transport, service: &str) -> Result<FileDescriptorSet, ReflectionError> {
    let server = Server::of(transport)?;
    let answer = server.ask(Question::FileOfSymbol(service.to_owned()))?;
    match answer.error {
        Some(refusal) if refusal.code == NOT_FOUND => Err(server.without(service)),
        Some(refusal) => Err(said(&refusal)),
        None => server.whole(vec![answer]),
    }
}

/// The files of all services of an API; those that the server does not offer are not in them.
///
/// # Errors
/// The server does not answer, has no reflection, or offers nothing.
pub fn all_definitions(transport: &Transport) -> Result<FileDescriptorSet, ReflectionError> {
    let server = Server::of(transport)?;
    let offered = server.services()?;
    if offered.is_empty() {
        return Err(ReflectionError::refused("it offers no service but those of gRPC itself"));
    }
    let mut answers = Vec::with_capacity(offered.len());
    for service in &offered {
        let answer = server.ask(Question::FileOfSymbol(service.clone()))?;
        if let Some(refusal) = &answer.error {
            return Err(said(refusal));
        }
        answers.push(answer);
    }
    let mut files = server.whole(answers)?;
    for file in &mut files.file {
        let package = file.package.clone().unwrap_or_default();
        let name = |service: &str| if package.is_empty() { service.to_owned() } else { format!("{package}.{service}") };
        file.service.retain(|service| offered.contains(&name(service.name())));
    }
    Ok(files)
}

fn said(refusal: &Refusal) -> ReflectionError {
    ReflectionError::refused(format!("its reflection says: {} (code {})", refusal.message, refusal.code))
}

/// A server whose reflection is known by one of its names.
struct Server<'a> {
    transport: &'a Transport,
    method: &'static str,
}

impl<'a> Server<'a> {
    fn of(transport: &'a Transport) -> Result<Self, ReflectionError> {
        for method in METHODS {
            let server = Self { transport, method };
            let answer = server.answer(Question::Services(String::new()))?;
            match answer.code {
                Code::Grpc(UNIMPLEMENTED) => {}
                Code::Grpc(0) => return Ok(server),
                code => return Err(ReflectionError::refused(format!("its reflection answers {}", code.name()))),
            }
        }
        Err(ReflectionError::refused("it has no service of reflection"))
    }

    fn answer(&self, question: Question) -> Result<Answer, ReflectionError> {
        let message = Message {
            method: String::new(),
            path: self.method.to_owned(),
            headers: self.transport.headers.clone().into_iter().collect(),
            body: Some(Asking { question: Some(question) }.encode_to_vec()),
        };
        let requests = LoneRequests {
            transport: self.transport.clone(),
            messages: vec![message],
            is_exact: false,
            reconnects: false,
        };
        let sent = engine::request(&requests).map_err(|error| ReflectionError::refused(error.to_string()))?;
        let outcome = sent.into_iter().next();
        let outcome = outcome.ok_or_else(|| ReflectionError::refused("its reflection does not answer"))?;
        outcome.map_err(ReflectionError::NoAnswer)
    }

    fn ask(&self, question: Question) -> Result<Answering, ReflectionError> {
        let answer = self.answer(question)?;
        if answer.code != Code::Grpc(0) {
            return Err(ReflectionError::refused(format!("its reflection answers {}", answer.code.name())));
        }
        Answering::decode(answer.body.as_slice())
            .map_err(|error| ReflectionError::refused(format!("its reflection cannot be read: {error}")))
    }

    /// The services of the API by their full names.
    fn services(&self) -> Result<BTreeSet<String>, ReflectionError> {
        let answer = self.ask(Question::Services(String::new()))?;
        let listed = answer.services.unwrap_or_default().listed.into_iter().map(|each| each.name);
        Ok(listed.filter(|name| !OF_GRPC.iter().any(|own| name.starts_with(own))).collect())
    }

    /// The error for a service that the server does not have, with those that it has.
    fn without(&self, service: &str) -> ReflectionError {
        match self.services() {
            Ok(known) if !known.is_empty() => {
                let more = known.len().saturating_sub(SHOWN);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                let listed = known.into_iter().take(SHOWN).collect::<Vec<_>>().join(", ");
                ReflectionError::refused(format!("it has no service {service}. Services: {listed}{more}"))
            }
            _ => ReflectionError::refused(format!("it has no service {service}")),
        }
    }

    /// Files in an order in which each follows those that it imports; what is missing is asked for.
    fn whole(&self, answers: Vec<Answering>) -> Result<FileDescriptorSet, ReflectionError> {
        let mut known = BTreeMap::new();
        let mut waiting: Vec<Answering> = answers;
        let mut wanted: Vec<String> = Vec::new();
        loop {
            for answer in waiting.drain(..) {
                for file in read(answer)? {
                    if known.contains_key(file.name()) {
                        continue;
                    }
                    wanted.extend(file.dependency.iter().cloned());
                    known.insert(file.name().to_owned(), file);
                }
            }
            let Some(name) = wanted.pop() else { return Ok(FileDescriptorSet { file: ordered(known) }) };
            if known.len() > MOST_FILES {
                return Err(ReflectionError::refused(format!("its reflection shows more than {MOST_FILES} files")));
            }
            if known.contains_key(&name) {
                continue;
            }
            let answer = self.ask(Question::FileNamed(name.clone()))?;
            match &answer.error {
                None => waiting.push(answer),
                // Not every server shows the files of google.protobuf.
                Some(refusal) => match DescriptorPool::global().get_file_by_name(&name) {
                    Some(file) => _ = known.insert(name, file.file_descriptor_proto().clone()),
                    None => {
                        let words = format!("its reflection does not show {name}: {}", refusal.message);
                        return Err(ReflectionError::refused(words));
                    }
                },
            }
        }
    }
}

fn read(answer: Answering) -> Result<Vec<FileDescriptorProto>, ReflectionError> {
    let encoded = answer.files.unwrap_or_default().encoded;
    if encoded.is_empty() {
        return Err(ReflectionError::refused("its reflection shows no file"));
    }
    let unreadable =
        |error| ReflectionError::refused(format!("its reflection shows a file that cannot be read: {error}"));
    encoded.iter().map(|bytes| FileDescriptorProto::decode(bytes.as_slice()).map_err(unreadable)).collect()
}

/// Those that a file imports stand before it.
fn ordered(mut files: BTreeMap<String, FileDescriptorProto>) -> Vec<FileDescriptorProto> {
    let mut found = Vec::with_capacity(files.len());
    while let Some(name) = files.keys().next().cloned() {
        take(&name, &mut files, &mut found);
    }
    found
}

fn take(name: &str, files: &mut BTreeMap<String, FileDescriptorProto>, found: &mut Vec<FileDescriptorProto>) {
    if let Some(file) = files.remove(name) {
        for each in &file.dependency {
            take(each, files, found);
        }
        found.push(file);
    }
}
