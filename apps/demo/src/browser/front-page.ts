/** The page around the panel: its buttons do to the server what a crash would do, and start it again. */
export const frontPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>resumable-mcp demo</title>
<style>
:root { color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif }
body { margin: 0; height: 100vh; display: flex; flex-direction: column }
header { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; padding: 8px 12px; border-bottom: 1px solid #8886 }
button { font: inherit; padding: 4px 12px }
iframe { flex: 1; border: 0; width: 100% }
</style>
</head>
<body>
<header>
<button id="kill" disabled>Kill the server (kill -9)</button>
<button id="start" disabled>Start the server again</button>
<span id="state" role="status"></span>
</header>
<iframe title="The panel of the server"></iframe>
<script>
const [kill, start] = ["kill", "start"].map((id) => document.getElementById(id));
const shown = document.getElementById("state");
const frame = document.querySelector("iframe");
const pollMs = 500;
async function look() {
  try {
    const { pid, panel, outcome } = await (await fetch("/demo/state")).json();
    kill.disabled = pid === undefined;
    start.disabled = pid !== undefined;
    const server = pid === undefined ? "No server runs." : "The server runs (process " + pid + ").";
    const text = outcome === undefined ? server : server + " " + outcome;
    if (shown.textContent !== text) shown.textContent = text;
    if (panel !== undefined && frame.getAttribute("src") === null) frame.src = panel;
  } catch {
    kill.disabled = start.disabled = true;
    shown.textContent = "The demo has ended.";
  }
  setTimeout(look, pollMs);
}
for (const button of [kill, start]) {
  button.addEventListener("click", () => {
    button.disabled = true;
    fetch("/demo/" + button.id, { method: "POST", headers: { "x-demo": "1" } }).catch(() => undefined);
  });
}
look();
</script>
</body>
</html>
`;
