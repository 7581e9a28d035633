import type { CallToolResult, Tool } from "@modelcontextprotocol/client";

/** The revisions of the protocol that the host speaks. */
export const revisions = ["2025-11-25", "2026-07-28"] as const;

/** How a host behaves. */
export interface HostOptions {
  /** The address of the server. */
  readonly server: string;
  readonly revision: (typeof revisions)[number];
  /** The page of the outer frame. */
  readonly sandbox: string;
  readonly token?: string;
  /** `false`: the host knows nothing of apps. */
  readonly apps?: boolean;
  /** Takes `_meta` away from all results before the app sees them. */
  readonly stripMeta?: boolean;
  /** Does not tell the app of which tool's call it is the view. */
  readonly withoutToolInfo?: boolean;
  readonly theme?: "light" | "dark";
  readonly locale?: string;
}

/** A tool that the app called. */
export interface CallSeen {
  readonly tool: string;
  /** The server does not list it for apps. */
  readonly refused: boolean;
}

/** A tool as the server lists it. */
export interface ListedTool {
  readonly name: string;
  /** The address of its app. */
  readonly app: string | null;
  /** Who may call it; `null`: models and apps. */
  readonly visibility: readonly string[] | null;
}

/** What the host's page can do, as `window.host`. */
export interface ReferenceHost {
  /** Resolves to the tools that the server lists. */
  connect(options: HostOptions): Promise<readonly Tool[]>;
  listed(): readonly ListedTool[];
  /** What apps called, oldest first. */
  readonly calls: readonly CallSeen[];
  /** Calls a tool and shows its app at once; resolves when the app has its input, not when the call has ended. */
  callAndShow(name: string, args: Record<string, unknown>): Promise<void>;
  /** Calls a tool without a view. */
  call(name: string, args: Record<string, unknown>): Promise<CallToolResult>;
  /** Shows the app of the last call once more, as after a reload of the host. */
  rebuild(): Promise<void>;
  /** Removes the view, as hosts do with one that scrolls away. */
  unload(): Promise<void>;
  /** Tells the app that the theme changed. */
  setTheme(theme: "light" | "dark"): Promise<void>;
}

declare global {
  interface Window {
    readonly host: ReferenceHost;
  }
}
