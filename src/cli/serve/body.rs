//! The body of an answer: whole, or lines that are sent as they come.

use super::records::RequestRecord;
use super::refusal::Refusal;
use super::searches::Running;
use super::slots::Busy;
use super::workers::WorkError;
use http_body_util::Full;
use hyper::StatusCode;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::sync::mpsc::UnboundedReceiver;

/// The body of an answer.
#[derive(Debug)]
pub enum AnswerBody {
    /// It is complete before the first byte is sent.
    Whole(Full<Bytes>),
    /// It is sent line by line.
    Lines(Lines),
}

/// The lines of a search. When the client has gone, this is dropped, and the search ends.
#[derive(Debug)]
pub struct Lines {
    lines: UnboundedReceiver<Bytes>,
    /// `None` when it has ended.
    search: Option<Running<()>>,
    /// Counts and logs the request at the end.
    record: Option<RequestRecord>,
    /// Keeps the connection from giving way.
    busy: Option<Busy>,
    bytes: u64,
}

impl Lines {
    /// The lines that a search sends, with their newlines, until it has ended.
    pub fn new(lines: UnboundedReceiver<Bytes>, search: Running<()>) -> Lines {
        Lines { lines, search: Some(search), record: None, busy: None, bytes: 0 }
    }
}

impl AnswerBody {
    /// Notes that the answer has this status, and has been sent. Lines keep the record until then.
    pub fn record(&mut self, mut record: RequestRecord, status: StatusCode, is_head: bool) {
        match self {
            AnswerBody::Whole(body) => {
                let bytes = if is_head { 0 } else { body.size_hint().lower() };
                record.answered = Some((status, bytes));
            }
            AnswerBody::Lines(lines) => lines.record = Some(record),
        }
    }

    /// The connection is busy until all lines are sent.
    pub fn keep_busy(&mut self, busy: Busy) {
        if let AnswerBody::Lines(lines) = self {
            lines.busy = Some(busy);
        }
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let lines = match self.get_mut() {
            AnswerBody::Whole(body) => return Pin::new(body).poll_frame(context),
            AnswerBody::Lines(lines) => lines,
        };
        let mut line = ready!(lines.lines.poll_recv(context));
        if let (None, Some(search)) = (&line, &mut lines.search) {
            let ended = ready!(Pin::new(search).poll(context));
            lines.search = None;
            line = ended.err().map(|_| (Refusal::from(WorkError::Panicked).line() + "\n").into());
        }
        match &line {
            Some(line) => lines.bytes += line.len() as u64,
            None => {
                if let Some(mut record) = lines.record.take() {
                    record.answered = Some((StatusCode::OK, lines.bytes));
                }
                lines.busy = None;
            }
        }
        Poll::Ready(line.map(|line| Ok(Frame::data(line))))
    }

    fn is_end_stream(&self) -> bool {
        match self {
            AnswerBody::Whole(body) => body.is_end_stream(),
            AnswerBody::Lines(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            AnswerBody::Whole(body) => body.size_hint(),
            AnswerBody::Lines(_) => SizeHint::default(),
        }
    }
}
