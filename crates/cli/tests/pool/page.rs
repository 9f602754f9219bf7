//! The pool's web page, in a headless browser that clicks as a person would.

use crate::fixtures::installation::text;
use crate::fixtures::node_process::PATIENCE;
use crate::fixtures::secure_pool::Pool;
use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// A browser, controlled through two pipes.
struct Browser {
    process: Child,
    input: File,
    output: BufReader<File>,
    session: Option<String>,
    requests_sent: u64,
}

impl Browser {
    /// Starts a browser. Returns none if the machine has none.
    fn start(folder: &Path) -> Option<Browser> {
        let there = |name: &&&str| {
            Command::new(name)
                .arg("--version")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|s| s.success())
        };
        let name = BROWSERS.iter().find(there)?;
        let (to, from) = (folder.join("to-browser"), folder.join("from-browser"));
        assert!(Command::new("mkfifo").args([&to, &from]).status().unwrap().success());
        let script = r#"exec "$0" --headless=new --no-sandbox --disable-gpu \
            --disable-dev-shm-usage --ignore-certificate-errors --remote-debugging-pipe \
            --user-data-dir="$3" about:blank 3<"$1" 4>"$2""#;
        let mut command = Command::new("sh");
        command.arg("-c").arg(script).arg(name).arg(&to).arg(&from).arg(folder.join("profile"));
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let input = OpenOptions::new().write(true).open(&to).unwrap();
        let output = BufReader::new(File::open(&from).unwrap());
        let mut browser = Browser { process, input, output, session: None, requests_sent: 0 };
        let target =
            browser.ask("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let session =
            browser.ask("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        browser.session = Some(session["sessionId"].as_str().unwrap().to_owned());
        Some(browser)
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.requests_sent += 1;
        let mut question = json!({ "id": self.requests_sent, "method": method, "params": params });
        if let Some(session) = &self.session {
            question["sessionId"] = json!(session);
        }
        self.input.write_all(format!("{question}\0").as_bytes()).unwrap();
        loop {
            let mut bytes = Vec::new();
            self.output.read_until(0, &mut bytes).unwrap();
            assert_eq!(bytes.pop(), Some(0), "the browser is gone");
            let answer: Value = serde_json::from_slice(&bytes).unwrap();
            if answer["id"] == self.requests_sent {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    fn evaluate(&mut self, script: &str) -> Value {
        let result =
            self.ask("Runtime.evaluate", json!({ "expression": script, "returnByValue": true }));
        assert!(result["exceptionDetails"].is_null(), "{script}: {result}");
        result["result"]["value"].clone()
    }

    fn until(&mut self, what: &str, script: &str) {
        let start = Instant::now();
        while self.evaluate(script) != json!(true) {
            assert!(
                start.elapsed() < PATIENCE,
                "{what}: {}",
                self.evaluate("document.body.innerText")
            );
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }

    fn click(&mut self, selector: &str) {
        // Clicks in the middle of the element's visible part, as a person would.
        let place = self.evaluate(&format!(
            "(() => {{ const r = document.querySelector({selector:?}).getBoundingClientRect(); \
            return [r.x + r.width / 2, r.y + r.height / 2] }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let (x, y) = (&place[0], &place[1]);
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            self.ask("Input.dispatchMouseEvent", event);
        }
    }

    /// Takes a screenshot for people to look at, if OUTHAUL_SCREENSHOTS names a folder.
    fn picture(&mut self, name: &str, width: u32, height: u32) {
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            json!({
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600
            }),
        );
        let wide = self.evaluate("document.documentElement.scrollWidth <= window.innerWidth");
        assert_eq!(wide, json!(true), "{name}: the page is wider than its window");
        let Ok(folder) = std::env::var("OUTHAUL_SCREENSHOTS") else { return };
        let data = self.ask("Page.captureScreenshot", json!({ "format": "png" }))["data"]
            .as_str()
            .unwrap()
            .to_owned();
        let path = Path::new(&folder).join(name);
        let mut decode = Command::new("base64")
            .arg("-d")
            .stdin(Stdio::piped())
            .stdout(File::create(path).unwrap())
            .spawn()
            .unwrap();
        decode.stdin.take().unwrap().write_all(data.as_bytes()).unwrap();
        decode.wait().unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
#[ignore = "needs a browser"]
fn the_page_shows_gpus_leases_queue_and_users_to_holders_of_a_token() {
    let pool = Pool::start();
    let Some(mut browser) = Browser::start(&pool.installation.folder) else {
        eprintln!("skipped: no Chromium on this machine (Debian's package: chromium)");
        return;
    };
    let _node = pool.node("gpu7", &[]);
    pool.user("alice", &[]);
    assert!(pool.output("alice", &["request", "-n", "1", "--memory", "25%"]).status.success());
    assert!(pool.output("alice", &["request", "-n", "1"]).status.success());
    let mut waiting = pool
        .command("alice", &["run", "-n", "2", "--", "true"])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();

    browser.ask("Page.navigate", json!({ "url": pool.url }));
    browser.until(
        "no question for a token",
        "document.readyState === 'complete' && !document.querySelector('#door').hidden",
    );
    browser.evaluate("document.querySelector('#token').focus()");
    browser.ask("Input.insertText", json!({ "text": "nonsense" }));
    browser.click("#door button");
    browser.until(
        "nonsense gets in",
        "document.querySelector('#refused').textContent.includes('not a token')",
    );
    browser.evaluate("document.querySelector('#token').value = ''");
    let token = text(&pool.output("alice", &["token", "show", "--raw"]).stdout);
    browser.ask("Input.insertText", json!({ "text": token.trim() }));
    browser.click("#door button");
    browser.until("the token does not get in", "!document.querySelector('#pool').hidden");
    browser.until(
        "not two GPUs",
        "document.querySelectorAll('#gpus .item').length === 2 && document.querySelector('#numbers \
        b').textContent === '2'",
    );
    browser.until(
        "no activity of GPUs is reported",
        "document.querySelectorAll('#gpus .spark path[d^=M]').length === 2",
    );
    browser.until("nobody waits", "document.querySelectorAll('#queue .item').length === 1");
    browser.picture("wide.png", 1280, 900);
    browser.picture("phone.png", 390, 844);
    for (tab, words) in [
        ("leases", "gpu7"),
        ("queue", "2 GPUs"),
        ("users", "user alice"),
        ("gpus", "Outhaul Software GPU"),
    ] {
        browser.click(&format!("#t-{tab}"));
        browser.until(
            tab,
            &format!(
                "!document.querySelector('#{tab}').hidden && \
            document.querySelector('#{tab}').innerText.includes('{words}')"
            ),
        );
        let open = browser.evaluate(
            "[...document.querySelectorAll('[role=tabpanel]')]\
            .filter(panel => !panel.hidden).length",
        );
        assert_eq!(open, json!(1), "{tab}");
        browser.picture(&format!("phone-{tab}.png"), 390, 844);
    }
    browser.picture("wide-end.png", 1280, 900);
    let _ = waiting.kill();
    let _ = waiting.wait();
}
