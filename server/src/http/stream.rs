//! Streamed responses.

use crate::http::limits::Slot;
use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use engine::Stop;
use futures_core::Stream;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use table::Refusal;
use tokio::sync::mpsc::{Receiver, UnboundedReceiver};

/// JSON lines as they are produced; if the client disconnects, the work behind them is stopped.
pub struct Lines {
    lines: UnboundedReceiver<String>,
    stop: Option<Stop>,
    _slot: Option<Slot>,
}

impl Lines {
    pub fn new(lines: UnboundedReceiver<String>, stop: Option<Stop>, slot: Option<Slot>) -> Lines {
        Lines { lines, stop, _slot: slot }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.stop.iter().for_each(Stop::stop);
    }
}

impl Stream for Lines {
    type Item = Result<String, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let line = self.lines.poll_recv(cx);
        line.map(|line| line.map(|line| Ok(line + "\n")))
    }
}

impl IntoResponse for Lines {
    fn into_response(self) -> Response {
        ndjson(Body::from_stream(self))
    }
}

/// Batches of lines with backpressure: the next batch is produced once this one has been read. An error aborts the
/// response, so that the client knows it is incomplete.
pub struct Pages(Receiver<Result<String, Refusal>>);

impl Pages {
    pub fn new(pages: Receiver<Result<String, Refusal>>) -> Pages {
        Pages(pages)
    }
}

impl Stream for Pages {
    type Item = Result<String, std::io::Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let page = self.0.poll_recv(cx);
        page.map(|page| Some(page?.map_err(|refusal| std::io::Error::other(refusal.message))))
    }
}

impl IntoResponse for Pages {
    fn into_response(self) -> Response {
        ndjson(Body::from_stream(self))
    }
}

fn ndjson(body: Body) -> Response {
    ([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response()
}
