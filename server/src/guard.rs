//! What stands before every request: who may send it, what goes back with it, and a line in the log.

use crate::StartError;
use crate::error::Refusal;
use crate::limits::{self, Limits};
use crate::metrics::Metrics;
use axum::Router;
use axum::body::HttpBody;
use axum::extract::{ConnectInfo, DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use rules::game::shorten;
use std::any::Any;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tower_http::catch_panic::CatchPanicLayer;

/// The largest body of a request.
const MOST_BODY: usize = 64 << 10;

const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; \
     manifest-src 'self'; style-src 'self'; \
     img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; \
     frame-ancestors 'none'";
const EMBED_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; \
     manifest-src 'self'; style-src 'self'; \
     img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; \
     frame-ancestors *";

/// What no page here needs, nor anything that it might be made to show.
const PERMISSIONS: &str = "accelerometer=(), camera=(), display-capture=(), \
     geolocation=(), gyroscope=(), hid=(), magnetometer=(), microphone=(), midi=(), payment=(), \
     serial=(), usb=(), xr-spatial-tracking=()";

/// Where a request came from.
#[derive(Clone, Copy, Debug)]
pub struct Client(pub IpAddr);

/// `host` or `host:port` of the address that people see, in lower case.
pub fn authority(base_url: &str) -> Result<String, StartError> {
    let wrong = |reason: &str| {
        let url = shorten(base_url);
        StartError(format!("--base-url `{url}`: {reason}, as in https://play.example.org"))
    };
    let uri: Uri = base_url.parse().map_err(|_| wrong("expected the address of a host"))?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) {
        return Err(wrong("expected http:// or https:// and a host"));
    }
    let authority = uri.authority().map(|own| own.as_str().to_lowercase()).unwrap_or_default();
    if uri.host().is_none_or(str::is_empty) || authority.contains('@') {
        return Err(wrong("expected a host behind the slashes"));
    }
    if !matches!(uri.path(), "" | "/") || uri.query().is_some() || base_url.contains('#') {
        return Err(wrong("the server wants a host of its own, without a path"));
    }
    Ok(authority)
}

/// What the guard knows of the server.
#[derive(Debug)]
pub struct Guard {
    proxies: Proxies,
    /// `host` or `host:port` of the address that people see.
    base: Option<String>,
    local: bool,
    limits: Arc<Limits>,
    metrics: Arc<Metrics>,
}

/// How long the refusal of an address that asks for too much is held back: it would only ask again.
const TARPIT: Duration = Duration::from_millis(500);

impl Guard {
    /// A guard for a server that listens here and is known as that.
    pub fn new(
        listen: SocketAddr,
        base_url: Option<&str>,
        proxies: &[IpAddr],
        limits: Arc<Limits>,
        metrics: Arc<Metrics>,
    ) -> Guard {
        let proxies = Proxies::new(base_url.is_some(), proxies);
        let base = base_url.and_then(|url| authority(url).ok());
        Guard { proxies, base, local: listen.ip().is_loopback(), limits, metrics }
    }

    /// Why a request is not let in.
    fn objection(&self, request: &Request) -> Option<Refusal> {
        let headers = request.headers();
        if headers.get_all(header::HOST).iter().count() > 1 {
            return Some(Refusal::bad("a request names one host"));
        }
        let host = text(headers, header::HOST).map(str::to_lowercase);
        if host.as_ref().is_some_and(|host| !self.knows(host)) {
            let error = "this server has another name; its owner can set it with --base-url";
            return Some(Refusal::forbidden(error));
        }
        let socket = headers.contains_key(header::UPGRADE);
        if request.method().is_safe() && !socket {
            return None;
        }
        let foreign = || Refusal::forbidden("requests from pages of another site are refused");
        let site = text(headers, HeaderName::from_static("sec-fetch-site"));
        if site.is_some_and(|site| site != "same-origin" && site != "none") {
            return Some(foreign());
        }
        let origin = headers.get(header::ORIGIN)?.to_str().unwrap_or_default().to_lowercase();
        let from = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        let own = from.is_some_and(|from| {
            host.as_deref() == Some(from) || self.base.as_deref() == Some(from)
        });
        (!own).then(foreign)
    }

    /// Whether a name may be this server's. A page that has its own name point here is kept out.
    fn knows(&self, host: &str) -> bool {
        let without_port = |text: &str| match text.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name.to_owned(),
            _ => text.to_owned(),
        };
        let name = without_port(host);
        let address = name.trim_start_matches('[').trim_end_matches(']');
        name == "localhost"
            || name.ends_with(".localhost")
            || address.parse::<IpAddr>().is_ok()
            || self.base.as_deref().map_or(!self.local, |base| without_port(base) == name)
    }

    /// Who sent it: behind a proxy that is believed, whom the proxy names.
    fn client(&self, request: &Request) -> IpAddr {
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
        let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
        match self.proxies.include(peer) {
            true => forwarded(request.headers()).unwrap_or(peer),
            false => peer,
        }
    }
}

/// Who is believed about whom a request comes from.
#[derive(Clone, Debug)]
pub struct Proxies(Option<Vec<IpAddr>>);

impl Proxies {
    /// Those of this machine, and these others; nobody, if there is none before the server.
    pub fn new(proxied: bool, others: &[IpAddr]) -> Proxies {
        Proxies(proxied.then(|| others.to_vec()))
    }

    /// Whether this is one of them.
    pub fn include(&self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        self.0.as_ref().is_some_and(|others| peer.is_loopback() || others.contains(&peer))
    }
}

/// The last address of all lines that name one: those before it are what the client says of itself.
fn forwarded(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all("x-forwarded-for").iter().next_back()?;
    let last = last.to_str().ok()?.rsplit(',').next()?.trim();
    last.parse().ok().or_else(|| Some(last.parse::<SocketAddr>().ok()?.ip()))
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// What a request costs before it is looked at. A body that does not tell its length may have the greatest.
fn price(request: &Request) -> u32 {
    let headers = request.headers();
    let told = text(headers, header::CONTENT_LENGTH).and_then(|length| length.parse().ok());
    let unknown =
        if headers.contains_key(header::TRANSFER_ENCODING) { MOST_BODY as u64 } else { 0 };
    limits::REQUEST + limits::of_body(told.unwrap_or(unknown).min(MOST_BODY as u64))
}

/// Lets a request in or refuses it, and logs what came of it. Queries and headers are not logged.
async fn watch(State(guard): State<Arc<Guard>>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let client = guard.client(&request);
    request.extensions_mut().insert(Client(client));
    let mut response = match guard.limits.spend(client, price(&request)) {
        Err(refusal) => {
            tokio::time::sleep(TARPIT).await;
            refusal.into_response()
        }
        Ok(()) => match guard.objection(&request) {
            Some(refusal) => refusal.into_response(),
            None => next.run(request).await,
        },
    };
    if let Some(length) = response.body().size_hint().exact() {
        guard.limits.charge(client, limits::of_answer(length));
    }
    add_headers(&path, response.headers_mut());
    let status = response.status();
    guard.metrics.answered(status.as_u16());
    if status == StatusCode::TOO_MANY_REQUESTS {
        guard.metrics.limited.fetch_add(1, Ordering::Relaxed);
    }
    let (status, ms) = (status.as_u16(), started.elapsed().as_secs_f64() * 1e3);
    let path = path.chars().take(200).collect::<String>();
    if status >= 500 {
        tracing::error!(%method, path, status, ms, %client, "request");
    } else {
        tracing::info!(%method, path, status, ms, %client, "request");
    }
    response
}

fn add_headers(path: &str, headers: &mut HeaderMap) {
    let policy = if path.starts_with("/embed/") { EMBED_POLICY } else { POLICY };
    let mut put = |name: HeaderName, value: &'static str| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    put(header::CONTENT_SECURITY_POLICY, policy);
    put(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    put(header::REFERRER_POLICY, "no-referrer");
    put(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    put(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    put(HeaderName::from_static("permissions-policy"), PERMISSIONS);
    if path.starts_with("/api/") && !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

/// Puts the guard before a router: requests are let in or refused, bodies limited, panics caught.
pub fn around(router: Router, guard: Guard) -> Router {
    let metrics = Arc::clone(&guard.metrics);
    let caught = move |panic: Box<dyn Any + Send>| panicked(&metrics, panic.as_ref());
    router
        .layer(DefaultBodyLimit::max(MOST_BODY))
        .layer(CatchPanicLayer::custom(caught))
        .layer(middleware::from_fn_with_state(Arc::new(guard), watch))
}

/// The answer to a request that ended in a panic.
fn panicked(metrics: &Metrics, panic: &(dyn Any + Send)) -> Response {
    metrics.panics.fetch_add(1, Ordering::Relaxed);
    let told = panic.downcast_ref::<String>().map(String::as_str);
    let reason = told.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason");
    tracing::error!(reason = shorten(reason), "a request panicked");
    Refusal::broken("an error inside; it has been logged").into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::routing::get;
    use tower::ServiceExt;

    #[test]
    fn the_address_that_people_see_is_one_of_a_host() {
        for (url, host) in [
            ("https://Play.example.org", "play.example.org"),
            ("http://10.0.0.1:8000/", "10.0.0.1:8000"),
            ("https://[::1]:9", "[::1]:9"),
        ] {
            assert_eq!(authority(url).unwrap(), host);
        }
        for wrong in [
            "javascript:1",
            "play.example.org",
            "ftp://play.example.org",
            "https://",
            "https:///x",
            "https://play.example.org/games",
            "https://play.example.org/?a",
            "https://play.example.org/#a",
            "https://me@play.example.org",
            "",
        ] {
            let error = authority(wrong).unwrap_err().to_string();
            assert!(error.contains("--base-url") && !error.contains('\n'), "{wrong}: {error}");
        }
    }

    #[tokio::test]
    async fn a_panic_ends_one_request_and_not_the_server() {
        let metrics = Arc::new(Metrics::default());
        let fails = get(|| async {
            if true {
                panic!("on purpose")
            }
        });
        let router = Router::new().route("/fails", fails).route("/well", get(|| async { "well" }));
        let limits = Arc::new(Limits::new(1_000, 1, false));
        let guard = Guard::new(([127, 0, 0, 1], 1).into(), None, &[], limits, Arc::clone(&metrics));
        let router = around(router, guard);
        for (path, status) in [("/fails", 500), ("/well", 200), ("/fails", 500)] {
            let request = Request::get(path).body(Body::empty()).unwrap();
            let response = router.clone().oneshot(request).await.unwrap();
            assert_eq!(response.status().as_u16(), status);
            assert!(response.headers().contains_key(header::CONTENT_SECURITY_POLICY));
        }
        assert_eq!(metrics.panics.load(Ordering::Relaxed), 2);
    }
}
