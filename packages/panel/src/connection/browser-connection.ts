import { CallError, type PanelConnection } from "./connection.js";
import { type PageConfig, pageAddress } from "./page-config.js";
import { getFile, postCall } from "./post-call.js";
import { beginSignIn, endSignIn, type TabStorage } from "./sign-in.js";

const tokenKey = "resumable-mcp/token";

/** What the page needs of its window. */
export interface BrowserPlace {
  readonly location: Pick<Location, "origin" | "pathname" | "search" | "hash" | "assign">;
  readonly history: Pick<History, "replaceState">;
  /** Forgotten with the tab: a token is kept nowhere else. */
  readonly storage: TabStorage;
}

/** Connects with the server from which the page came. */
export async function connectBrowser(
  config: PageConfig,
  prefix: string,
  place: BrowserPlace,
): Promise<PanelConnection> {
  const { location, storage, history } = place;
  const page = pageAddress(location);
  const ended = await endSignIn({ config, page, storage }, new URLSearchParams(location.search));
  if (ended !== undefined) history.replaceState(null, "", `${location.pathname}${ended.place}`);
  if (ended !== undefined && "token" in ended) storage.setItem(tokenKey, ended.token);
  let problem = ended !== undefined && "problem" in ended ? ended.problem : undefined;
  const listeners = new Set<() => void>();
  let isRefused = false;
  const setToken = (token: string | undefined, refused = false) => {
    problem = undefined;
    isRefused = refused;
    if (token === undefined) storage.removeItem(tokenKey);
    else storage.setItem(tokenKey, token);
    for (const listener of listeners) listener();
  };
  const redirect = async () => location.assign(await beginSignIn({ config, page, storage }, location.hash));
  const tokenOf = () => storage.getItem(tokenKey) ?? undefined;
  return {
    mode: "browser",
    serverName: config.serverName,
    facts: () => browserFacts,
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    async call(tool, args, allOwners) {
      const token = tokenOf();
      const target = { endpoint: config.endpoint, prefix, token, allOwners };
      return await postCall(target, tool, args).catch((error: unknown) => {
        // A later token stays: only the one that was refused is forgotten.
        if (error instanceof CallError && error.failure === "signed_out" && tokenOf() === token)
          setToken(undefined, token !== undefined);
        throw error;
      });
    },
    file: (taskId, name) => getFile({ endpoint: config.endpoint, token: tokenOf() }, taskId, name),
    ...(config.auth !== "none" && {
      signIn: {
        get ways() {
          return { token: config.takesToken, isRefused, problem, ...(config.auth === "oauth" && { redirect }) };
        },
        get signedIn() {
          return tokenOf() !== undefined;
        },
        withToken: (token) => setToken(token),
        signOut: () => setToken(undefined),
      },
    }),
  };
}

/** The browser's own settings decide: theme by `prefers-color-scheme`, language by `navigator.language`. */
const browserFacts = {};
