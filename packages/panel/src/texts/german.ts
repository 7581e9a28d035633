import { momentUtc, type TaskMoment } from "@resumable-mcp/protocol/display";
import type { Texts } from "./catalogue.js";

const endings: Readonly<Record<string, string>> = {
  paused: "einer Pause",
  drained: "dem Herunterfahren des Servers",
  yielded: "dem Zug eines anderen Aufrufers",
  waiting: "einer Wartezeit",
  retry: "einem Fehler",
  crashed: "einem Absturz",
  interrupted: "einer Unterbrechung",
};

function ending(reason: string): string {
  return Object.hasOwn(endings, reason) ? (endings[reason] ?? reason) : reason;
}

const answers: Readonly<Record<string, string>> = {
  accept: "angenommen",
  decline: "abgelehnt",
  cancel: "abgebrochen",
  expired: "abgelaufen",
};

function momentText(moment: TaskMoment): string {
  switch (moment.kind) {
    case "checkpoints":
      return moment.count === 1
        ? `Sicherungspunkt bei ${moment.to}`
        : `${moment.count} Sicherungspunkte, ${moment.from} bis ${moment.to}`;
    case "attempt": {
      const { attempt, after, progress } = moment;
      return `Versuch ${attempt}${after === undefined ? "" : ` nach ${ending(after)} bei ${progress}`}`;
    }
    case "attempt_failed":
      return `Versuch gescheitert: ${moment.message}`;
    case "failed":
      return `gescheitert: ${moment.message}`;
    case "asked":
      return `fragt: ${moment.message}`;
    case "step":
      return `Schritt ${moment.key}`;
    case "step_failed":
      return `Schritt ${moment.key}: Versuch ${moment.attempt} gescheitert: ${moment.message}`;
    case "called":
      return `Aufruf ${moment.key} von ${moment.tool}`;
    case "returned":
      return `Aufruf ${moment.key} ist zurück`;
    case "call_failed":
      return `Aufruf ${moment.key} gescheitert: ${moment.message}`;
    case "artifact":
      return `Artefakt ${moment.key}`;
    case "sleep":
      return `schläft bis ${moment.until}`;
    case "answered":
      return `Antwort: ${answers[moment.action] ?? moment.action}`;
    case "received":
      return `Antwort auf ${moment.key} angekommen`;
    case "requested":
      return moment.state === "pause" ? "Pause angefordert" : "Fortsetzung angefordert";
    case "restarted":
      return `Generation ${moment.generation} beginnt`;
    default:
      return plainMoments[moment.kind];
  }
}

const plainMoments = {
  created: "angelegt",
  detached: "losgelöst: braucht keinen Aufrufer",
  caller_left: "pausiert: der Aufrufer ist gegangen",
  snapshot: "frühere Ereignisse sind nicht mehr vorhanden",
  completed: "abgeschlossen",
  cancelled: "abgebrochen",
} as const;

const taskCount = (count: number) => (count === 1 ? "diese Aufgabe" : `${count} Aufgaben`);

/** Every text of the panel in German. */
export const german: Texts = {
  language: "de",
  tasks: "Aufgaben",
  server: "Server",
  allOwners: "Alle Eigentümer",
  readOnly: "nur lesen",
  failedByTool: "Fehlgeschlagene Aufgaben, nach Werkzeug",
  allTasks: "Alle Aufgaben",
  thisTask: "Diese Aufgabe",
  signOut: "Abmelden",
  status: {
    pending: "wartet",
    running: "läuft",
    paused: "pausiert",
    input_required: "fragt dich",
    completed: "abgeschlossen",
    failed: "gescheitert",
    cancelled: "abgebrochen",
    interrupted: "unterbrochen",
    away: "Server nicht erreichbar",
    gone: "nicht gefunden",
  },
  link: {
    connecting: "verbindet …",
    live: "verbunden",
    signed_out: "abgemeldet",
    reconnecting: "verbindet erneut",
  },
  reconnectingIn: (time) => `Neuer Versuch in ${time}. Gezeigt wird der letzte bekannte Stand.`,
  reconnectingNow: "Verbindet erneut … Gezeigt wird der letzte bekannte Stand.",
  retryNow: "Jetzt versuchen",
  verbs: {
    pause: "Pausieren",
    resume: "Fortsetzen",
    cancel: "Abbrechen",
    restart: "Neu starten",
    answer: "Antworten",
    delete: "Löschen",
  },
  requested: { pause: "pausiert gleich …", cancel: "bricht ab …" },
  confirm: {
    cancel: (count) =>
      `${count === 1 ? "Diese Aufgabe" : `${count} Aufgaben`} abbrechen? Einträge bleiben erhalten, aber Abgebrochenes kann nicht fortgesetzt werden.`,
    delete: (count) =>
      `Löschen: ${taskCount(count)}? Fertige Aufgaben werden mit ihren Ergebnissen auf dem Server gelöscht.`,
    restart: () => "Diese Aufgabe als neue Aufgabe noch einmal von vorn ausführen?",
  },
  run: "Ausführen",
  runTool: "Werkzeug ausführen",
  chooseTool: "Werkzeug wählen",
  noTools: "Kein Werkzeug kann ausgeführt werden.",
  close: "Schließen",
  copy: "Kopieren",
  copied: "Kopiert",
  keep: "Behalten",
  dismiss: "Schließen",
  took: (time) => `dauerte ${time}`,
  runs: (time) => `seit ${time}`,
  left: (time) => `noch etwa ${time}`,
  tries: (count) => `${count} Versuche`,
  answerReceived: "Ihre Antwort ist angekommen; die Aufgabe übernimmt sie, sobald sie läuft.",
  slotWait: ({ limit, running, until }) =>
    ({
      owner: `Wartet: ${running ?? "genug"} Ihrer Aufgaben laufen, so viele wie zugleich dürfen.`,
      tool: "Wartet: so viele Aufgaben dieses Werkzeugs laufen, wie zugleich dürfen.",
      store: "Wartet: so viele Aufgaben dieses Werkzeugs laufen auf allen Servern, wie zugleich dürfen.",
      rate: `Wartet mindestens bis ${momentUtc(until)}: so viele Aufgaben dieses Werkzeugs haben begonnen, wie in seiner Zeit dürfen.`,
      process: "Wartet: der Server führt so viele Aufgaben aus, wie er kann.",
    })[limit],
  attempt: (attempt) => `Versuch ${attempt}`,
  generation: (generation) => `Generation ${generation}`,
  items: (count) => `${count} ${count === 1 ? "Eintrag" : "Einträge"}`,
  progress: "Fortschritt",
  arguments: "Argumente",
  error: "Fehler",
  stack: "Aufrufstapel",
  continuation: {
    by_call: (far) => `Fortsetzen oder derselbe Aufruf macht bei ${far} weiter.`,
    by_resume: (far) => `Fortsetzen macht bei ${far} weiter; derselbe Aufruf beginnt von vorn.`,
    never: (far) => `Sie blieb bei ${far} stehen; derselbe Aufruf beginnt von vorn.`,
  },
  question: "Frage",
  questionExpires: (when) => `Beantwortbar bis ${when}.`,
  decline: "Ablehnen",
  cancelQuestion: "Frage abbrechen",
  required: "erforderlich",
  none: "keine Angabe",
  fieldErrors: {
    required: "ist erforderlich",
    number: "muss eine Zahl sein",
    integer: "muss eine ganze Zahl sein",
    minimum: (least) => `muss mindestens ${least} sein`,
    maximum: (most) => `darf höchstens ${most} sein`,
    minLength: (least) => `braucht mindestens ${least} Zeichen`,
    maxLength: (most) => `hat höchstens ${most} Zeichen`,
    json: "muss JSON sein",
  },
  parts: { timeline: "Verlauf", log: "Protokoll", steps: "Schritte", items: "Einträge", result: "Ergebnis" },
  files: "Dateien",
  save: "Speichern",
  family: "Aufrufe",
  calledBy: "Aufgerufen von",
  childStatuses: { returned: "abgeschlossen", failed: "gescheitert" },
  attempts: "Versuche",
  attemptRan: (attempt, from, time) => `Versuch ${attempt} ab ${from}, ${time}`,
  endedBy: (reason) => `beendet von ${ending(reason)}`,
  takenOver: "von einem anderen Prozess übernommen",
  stillRuns: "läuft",
  moment: momentText,
  noTimeline: "Noch ist nichts geschehen.",
  noLog: "Keine Meldungen.",
  noSteps: "Keine Schritte.",
  noItems: "Noch keine Einträge.",
  noResult: "Noch kein Ergebnis.",
  earlier: "Frühere Ereignisse werden nicht gezeigt.",
  logLevel: "Mindeststufe",
  findInLog: "Im Protokoll suchen",
  pageOf: (from, to, total) => `${from} bis ${to} von ${total}`,
  firstPage: "Erste",
  previousPage: "Vorige",
  nextPage: "Nächste",
  lastPage: "Letzte",
  more: (count) => `${count} weitere`,
  moreCharacters: (count) => `${count} weitere Zeichen`,
  entries: (count) => `${count} ${count === 1 ? "Eintrag" : "Einträge"}`,
  fields: (count) => `${count} ${count === 1 ? "Feld" : "Felder"}`,
  isError: "Das Werkzeug meldet einen Fehler.",
  find: "Suchen",
  findHelp: "Wörter, die alle in einer Zeile stehen",
  filters: { all: "Alle", active: "Aktive", waiting: "Warten auf dich", failed: "Gescheiterte", finished: "Fertige" },
  range: "Zeit",
  ranges: { all: "Jederzeit", hour: "Letzte Stunde", day: "Letzter Tag" },
  activity: ({ started, ended, failed }) => `${started} begonnen, ${ended} beendet, ${failed} gescheitert`,
  countsNewest: (count) => `Das Diagramm zählt die neuesten ${count} Aufgaben.`,
  ofTool: "Aufgaben von",
  allTools: "Alle Werkzeuge",
  keysTitle: "Tasten",
  keysOf: {
    "/": "suchen",
    j: "nächste Aufgabe",
    k: "vorige Aufgabe",
    r: "fortsetzen oder neu starten",
    p: "pausieren",
    c: "abbrechen",
    "?": "diese Tasten",
  },
  sort: "Sortieren",
  newest: "Neueste",
  columns: { task: "Aufgabe", status: "Zustand", progress: "Fortschritt", time: "Zeit", left: "Rest", rate: "Tempo" },
  select: (name) => `${name} auswählen`,
  selectAll: "Alle gezeigten auswählen",
  selected: (count) => `${count} ausgewählt`,
  clearSelection: "Auswahl aufheben",
  tasksOf: {
    all: "Das sind die Aufgaben aller Eigentümer.",
    host: "Das sind die Aufgaben des Benutzers dieses Hosts.",
    machine: "Das sind die Aufgaben des Benutzers dieses Rechners.",
    signedIn: "Das sind die Aufgaben des angemeldeten Benutzers.",
  },
  noTasks: "Noch keine Aufgaben.",
  noTasksHelp: "Aufgaben erscheinen hier, sobald ein Werkzeug aufgerufen wird.",
  noMatch: "Keine Aufgabe passt.",
  newestOf: (shown, total) => `Die neuesten ${shown} von ${total} Aufgaben.`,
  shownOf: (shown, total) => (shown === total ? `${total} gezeigt` : `${shown} von ${total} gezeigt`),
  loading: "Lädt …",
  looking: (tool) => `Wartet auf die Aufgabe von ${tool ?? "diesem Aufruf"} …`,
  noTaskHere: "Dieser Aufruf hat keine Aufgabe.",
  goneTask: "Nicht gefunden: Der Server kennt diese Aufgabe nicht, oder sie gehört einem anderen Benutzer.",
  signIn: "Anmelden",
  signInText: (server) => `${server} fragt, wer du bist.`,
  signInWith: "Mit deinem Konto anmelden",
  token: "Zugangstoken",
  tokenHelp: "Es bleibt in diesem Tab und wird vergessen, wenn du ihn schließt.",
  signedOutToken: "Der Server hat das Token nicht angenommen.",
  thisServer: "Dieser Server",
  operatorsOnly: "Diese Seite sehen nur Betreiber des Servers.",
  serverParts: { replicas: "Replikate", versions: "Versionen", quotas: "Speicher", tools: "Werkzeuge" },
  serverFields: {
    version: "Version",
    started_at: "Läuft seit",
    processes: "Prozesse",
    unfinished: "Unfertige Aufgaben",
    worker: "Prozess",
    is_self: "Antwortet jetzt",
    running: "Laufende Aufgaben",
    tool: "Werkzeug",
    tools: "Werkzeuge",
    offered_by: "Angeboten von Prozessen",
    quota: "Grenze",
    limit: "Höchstens",
    used: "Belegt",
    free: "Frei",
    kept: "Freigehalten",
    name: "Name",
    title: "Titel",
  },
  yes: "ja",
  no: "nein",
};
