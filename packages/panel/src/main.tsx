import "./without-eval.js";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { openConnection } from "./connection/open-connection.js";
import { PanelModel } from "./model/panel-model.js";
import { App } from "./ui/app.js";
import { Failure } from "./ui/failure.js";

const environment = {
  now: () => Date.now(),
  random: () => Math.random(),
  hidden: () => document.hidden,
  schedule: (run: () => void, delayMs: number) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

async function start(element: HTMLElement): Promise<void> {
  const root = createRoot(element);
  const connection = await openConnection((text) => root.render(<p className="empty">{text}</p>));
  const model = new PanelModel(connection, environment);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) model.pollNow();
  });
  window.addEventListener("online", () => model.pollNow());
  root.render(
    <StrictMode>
      <Failure>
        <App model={model} />
      </Failure>
    </StrictMode>,
  );
}

const element = document.getElementById("panel");
if (element !== null) void start(element);
