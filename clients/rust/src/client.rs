//! The client.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::request_id::RequestIds;
use crate::v1::access_service_client::AccessServiceClient;
use crate::v1::artifact_service_client::ArtifactServiceClient;
use crate::v1::audit_service_client::AuditServiceClient;
use crate::v1::tool_result_service_client::ToolResultServiceClient;
use crate::v1::tool_service_client::ToolServiceClient;
use crate::v1::transport_service_client::TransportServiceClient;
use crate::{
    BoxFuture, CallTool, Command, Compact, Connect, Connection, EncodeTurn, Entry, Failure,
    OpenStream, Pages, Projection, Provider, Read, Render, Result, Selection, Text, v1,
};

/// The size up to which an answer is received, in bytes: compacted histories are larger than the 4
/// MiB of gRPC.
const MAX_RECEIVED: usize = 256 << 20;

/// Calls a sidecar. [`Client::connect`] makes one. A clone is cheap, and uses the same connection;
/// it can be sent to any task of the runtime. When the last one is dropped the connection ends, and
/// the sidecar goes on.
///
/// A connection belongs to the runtime of tokio in which it was made, and is made again when
/// another runtime uses the client after the first one has ended.
#[derive(Clone, Debug)]
pub struct Client {
    connection: Connection,
    shared: Arc<Shared>,
    session: String,
    task: String,
}

/// What the clones of a client share.
#[derive(Debug)]
struct Shared {
    ids: RequestIds,
    /// The sidecar keeps no audit log, and takes no ids of requests.
    without_ids: AtomicBool,
}

impl Client {
    /// Returns a connection to the sidecar of this user that is to be made: options are its
    /// methods, and `await` makes it. The sidecar is called by the first call.
    ///
    /// Errors: [`NoSidecar`](crate::Error::NoSidecar) when none is found, and none may be started;
    /// [`Unavailable`](crate::Error::Unavailable) when one is found that accepts nothing, or could
    /// not be started.
    pub fn connect() -> Connect {
        Connect::default()
    }

    /// Returns the client of a connection.
    pub(crate) fn new(connection: Connection, session: String, task: String) -> Self {
        let shared = Arc::new(Shared {
            ids: RequestIds::new(),
            without_ids: AtomicBool::new(false),
        });
        Client {
            connection,
            shared,
            session,
            task,
        }
    }

    /// Returns a client whose calls that name no session are of this one. It uses the same
    /// connection.
    pub fn with_session(&self, id: impl Into<String>) -> Self {
        Client {
            session: id.into(),
            ..self.clone()
        }
    }

    /// Returns a client whose agent looks for this: its task, its question, its last message. It
    /// decides what is shown of outputs that do not fit. Of a long one the beginning counts, 8 KiB;
    /// empty: not known. The client uses the same connection.
    pub fn with_task(&self, task: impl Into<String>) -> Self {
        Client {
            task: task.into(),
            ..self.clone()
        }
    }

    /// Returns what the agent looks for; empty: not known.
    pub fn task(&self) -> &str {
        &self.task
    }

    /// Returns the address of the sidecar: `unix:///PATH` or `HOST:PORT`.
    pub fn address(&self) -> &str {
        self.connection.address()
    }

    /// Returns the session of calls that name none; empty: none.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Returns the connection, which is a channel for generated clients of other contracts, too.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Returns an id for a request; empty: the sidecar takes none.
    pub(crate) fn new_request_id(&self) -> String {
        if self.shared.without_ids.load(Ordering::Relaxed) {
            return String::new();
        }
        self.shared.ids.next()
    }

    /// Stops to make ids for requests.
    pub(crate) fn stop_request_ids(&self) {
        self.shared.without_ids.store(true, Ordering::Relaxed);
    }
}

/// Projections.
impl Client {
    /// Projects what a tool answered: any text, any bytes, of any size.
    pub fn project_text(&self, tool: impl Into<String>, text: impl Into<Text>) -> Projection<'_> {
        self.project(text.into().output(tool.into()))
    }

    /// Projects what a command printed, and how it ended.
    pub fn project_command(&self, command: Command) -> Projection<'_> {
        self.project(command.into_output())
    }

    /// Projects a tool that could not do its work.
    pub fn project_error(&self, tool: impl Into<String>, failure: Failure) -> Projection<'_> {
        self.project(failure.output(tool.into()))
    }

    /// Projects the output of a tool of any family, or a whole request.
    pub fn project(&self, output: impl Into<v1::ProjectRequest>) -> Projection<'_> {
        Projection::new(self, output.into())
    }

    /// Returns a stream for the output of a tool that still runs, which is to be opened: as a
    /// command by [`command`](OpenStream::command) or [`split_command`](OpenStream::split_command),
    /// or as a text by [`text`](OpenStream::text).
    pub fn stream(&self, tool: impl Into<String>) -> OpenStream<'_> {
        OpenStream::new(self, tool.into())
    }
}

/// What is made of results later.
impl Client {
    /// Makes the receipt of a result again, under another policy: of a
    /// [`ToolResult`](crate::ToolResult), or of a canonical result that the runtime kept.
    pub fn render(&self, result: impl Into<v1::render_request::Result>) -> Render<'_> {
        Render::new(self, result.into())
    }

    /// Brings a history of results to fewer tokens, the oldest first. It has any length.
    pub fn compact<E: Into<Entry>>(&self, entries: impl IntoIterator<Item = E>) -> Compact<'_> {
        Compact::new(self, entries.into_iter().map(Into::into).collect())
    }

    /// Reads a part of an artifact, as much as one answer has.
    pub fn read(&self, path: impl Into<String>, selection: Selection) -> Read<'_> {
        Read::new(self, path.into(), selection)
    }

    /// Reads a part of an artifact in as many answers as it takes.
    pub fn read_pages(&self, path: impl Into<String>, selection: Selection) -> Pages<'_> {
        Pages::new(self.read(path, selection))
    }
}

/// Turns, tools and what the sidecar is.
impl Client {
    /// Makes the messages of one turn for a provider: the text of the model, the calls that it
    /// made, and their results.
    pub fn encode_turn(&self, provider: Provider) -> EncodeTurn<'_> {
        EncodeTurn::new(self, provider)
    }

    /// Says which values must not be in anything that is made of the output of a tool: those of one
    /// session, or of all. Names replace values, as `[redacted:NAME]`. The list takes the place of
    /// an earlier one. The answer is the id of the list, which a policy can require.
    pub fn register_secrets<N: Into<String>, V: Into<Vec<u8>>>(
        &self,
        values: impl IntoIterator<Item = (N, V)>,
    ) -> RegisterSecrets<'_> {
        let secret = |(name, value): (N, V)| v1::RegisteredSecret {
            name: name.into(),
            value: value.into(),
        };
        RegisterSecrets {
            client: self,
            session: None,
            secrets: values.into_iter().map(secret).collect(),
        }
    }

    /// Returns the definitions of `read_result` for a provider: the tool by which a model reads
    /// what receipts do not show.
    pub async fn tool_definitions(&self, provider: Provider) -> Result<Vec<v1::ToolDefinition>> {
        let request = v1::GetToolDefinitionsRequest {
            provider: provider.into(),
        };
        let answer = self.tools().get_tool_definitions(request).await?;
        Ok(answer.into_inner().tools)
    }

    /// Executes a call of `read_result` that a model made, with arguments as it wrote them. What
    /// the model did wrong is in the receipt.
    pub fn call_tool(
        &self,
        name: impl Into<String>,
        arguments: impl Into<crate::Arguments>,
    ) -> CallTool<'_> {
        CallTool::new(self, name.into(), arguments.into())
    }

    /// Says what the sidecar is and what it accepts.
    pub async fn info(&self) -> Result<v1::GetServerInfoResponse> {
        let request = v1::GetServerInfoRequest {};
        Ok(self.results().get_server_info(request).await?.into_inner())
    }

    /// Reports whether the sidecar serves. An error says that it did not answer.
    pub async fn healthy(&self) -> Result<bool> {
        let request = HealthCheckRequest::default();
        let answer = self.health().check(request).await?.into_inner();
        Ok(answer.status() == ServingStatus::Serving)
    }
}

/// Writes the methods that return generated clients.
macro_rules! generated {
    ($($(#[$doc:meta])* $name:ident: $client:ident,)*) => {
        /// The generated clients, for calls that have no method here. They share the connection,
        /// with its token, deadlines and retries; [`Error::from`](crate::Error) reads their
        /// statuses.
        impl Client {$(
            $(#[$doc])*
            pub fn $name(&self) -> $client<Connection> {
                $client::new(self.connection.clone()).max_decoding_message_size(MAX_RECEIVED)
            }
        )*}
    };
}

generated! {
    /// Returns the client of `ToolResultService`.
    results: ToolResultServiceClient,
    /// Returns the client of `ArtifactService`.
    artifacts: ArtifactServiceClient,
    /// Returns the client of `TransportService`.
    transport: TransportServiceClient,
    /// Returns the client of `ToolService`.
    tools: ToolServiceClient,
    /// Returns the client of `AuditService`.
    audit: AuditServiceClient,
    /// Returns the client of `AccessService`.
    access: AccessServiceClient,
    /// Returns the client of the health service.
    health: HealthClient,
}

/// A list of values that is to be registered, by [`Client::register_secrets`]. `await` registers
/// it.
#[must_use = "it does nothing until it is awaited"]
pub struct RegisterSecrets<'a> {
    client: &'a Client,
    session: Option<String>,
    secrets: Vec<v1::RegisteredSecret>,
}

/// Shows names, and no values.
impl std::fmt::Debug for RegisterSecrets<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.secrets.iter().map(|secret| &secret.name);
        f.debug_list().entries(names).finish()
    }
}

impl RegisterSecrets<'_> {
    /// Sets the session; empty: all. Default: that of the client, or all.
    pub fn session(mut self, id: impl Into<String>) -> Self {
        self.session = Some(id.into());
        self
    }
}

impl<'a> IntoFuture for RegisterSecrets<'a> {
    type Output = Result<String>;
    type IntoFuture = BoxFuture<'a, Result<String>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let request = v1::RegisterSecretsRequest {
                session_id: self.session.unwrap_or_else(|| self.client.session.clone()),
                secrets: self.secrets,
            };
            let answer = self.client.access().register_secrets(request).await?;
            Ok(answer.into_inner().set_id)
        })
    }
}
