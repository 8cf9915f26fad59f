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
    /// `None` when it has ended. It returns the status that its last line would have as a whole answer.
    search: Option<Running<StatusCode>>,
    /// The position, as it was given.
    position: String,
    /// What `search` has returned.
    status: StatusCode,
    /// Counts and logs the request at the end.
    record: Option<RequestRecord>,
    /// Keeps the connection from giving way.
    busy: Option<Busy>,
    bytes: u64,
}

impl Lines {
    /// The lines that a search about a position sends, with their newlines, until it has ended. The
    /// search returns the status that its last line would have as a whole answer.
    pub fn new(
        position: String,
        lines: UnboundedReceiver<Bytes>,
        search: Running<StatusCode>,
    ) -> Lines {
        let (search, status) = (Some(search), StatusCode::OK);
        Lines { lines, search, position, status, record: None, busy: None, bytes: 0 }
    }
}

impl AnswerBody {
    /// Notes that the answer has this status, and has been sent. Lines keep the record until then, and
    /// note the status of their last line, which is known only then.
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
            match ended {
                Ok(status) => lines.status = status,
                Err(_) => {
                    let refusal = Refusal::from(WorkError::Panicked).about(&lines.position);
                    lines.status = refusal.status;
                    line = Some((refusal.line() + "\n").into());
                }
            }
        }
        match &line {
            Some(line) => lines.bytes += line.len() as u64,
            None => {
                if let Some(mut record) = lines.record.take() {
                    record.answered = Some((lines.status, lines.bytes));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::searches::Searches;
    use http_body_util::BodyExt;
    use tokio::sync::mpsc::unbounded_channel;

    #[tokio::test]
    async fn the_last_line_of_a_search_that_panics_is_about_its_position() {
        let (send, receive) = unbounded_channel::<Bytes>();
        let search = Searches::new(1).begin(move |_| {
            send.send("{}\n".into()).unwrap();
            panic!("on purpose")
        });
        let lines = Lines::new("a1W g7B w".to_owned(), receive, search.unwrap());
        let mut body = AnswerBody::Lines(lines);
        let whole = (&mut body).collect().await.unwrap().to_bytes();
        let last = r#"{"position":"a1W g7B w","error":"the server failed to answer because of a bug in it"}"#;
        assert_eq!(str::from_utf8(&whole).unwrap(), format!("{{}}\n{last}\n"));
        let AnswerBody::Lines(lines) = body else { unreachable!() };
        assert_eq!(lines.status, StatusCode::INTERNAL_SERVER_ERROR);
    }
}
