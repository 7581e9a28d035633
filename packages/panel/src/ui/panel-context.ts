import { toolTitle } from "@resumable-mcp/protocol/display";
import { createContext, useContext, useSyncExternalStore } from "react";
import { lineText } from "../model/bounded.js";
import type { PanelModel } from "../model/panel-model.js";
import type { PanelState } from "../model/panel-state.js";
import type { Route } from "../model/route.js";

/** What every view can reach. */
export interface PanelControls {
  readonly model: PanelModel;
  /** Where the user goes. */
  readonly go: (route: Route) => void;
}

/** What the views below it can reach; `undefined` outside the panel. */
export const PanelContext = createContext<PanelControls | undefined>(undefined);

/** The model, and the way to another route. */
export function usePanel(): PanelControls {
  const controls = useContext(PanelContext);
  if (controls === undefined) throw new Error("A view is drawn outside the panel.");
  return controls;
}

/** The part of the state that a view needs; it is drawn again only when that changes. */
export function usePanelState<Part>(partOf: (state: PanelState) => Part): Part {
  const { model } = usePanel();
  const getPart = () => partOf(model.getSnapshot());
  return useSyncExternalStore(model.subscribe, getPart, getPart);
}

/** Says what people call a tool: its title, where the server lists one of that name. */
export function useToolTitle(): (tool: string, most?: number) => string {
  const titles = usePanelState((state) => state.titles);
  return (tool, most) => lineText(toolTitle({ tool, title: titles?.get(tool) }), most);
}
