import type { Engine } from "@resumable-mcp/core";
import { expect } from "vitest";
import { makeTarget, type Target, unknownTarget } from "./foreign-target.js";
import type { RawCaller, Reply } from "./raw-caller.js";
import type { Route } from "./route.js";

/** An owner, a stranger who tries to reach what is theirs, and one who has not met either. */
export interface Callers {
  readonly alice: RawCaller;
  readonly bob: RawCaller;
  readonly carol: RawCaller;
}

/** A reply without what is different each time; what names the target stays recognisable. */
function blank({ status, type, body }: Reply, target: Target): Reply {
  const named = Object.entries(target).reduce((text, [field, value]) => text.replaceAll(value, `<${field}>`), body);
  const blanked = named
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replaceAll(/[A-Za-z0-9]{22,}/g, "<token>")
    .replaceAll(/all_[A-Za-z0-9]{9}/g, "<standalone>")
    .replaceAll(/once_[A-Za-z0-9]+_/g, "once_<nonce>_")
    .replaceAll(/"nonce_[^"]+"/g, "<nonce>");
  return { status, type, body: blanked };
}

async function stateOf(engine: Engine, { id, session }: Target) {
  const task = await engine.readTask(id);
  return {
    record: task?.record,
    signals: task?.signals,
    session: await engine.documents.getDocument("session", session),
  };
}

/**
 * Checks that a route leads a stranger nowhere: the answer is that to what does not exist, and nothing changed.
 *
 * @returns the owner's own answer, and that to a caller for whom there is nothing.
 */
export async function checkStranger(route: Route, { alice, bob, carol }: Callers, engine: Engine) {
  // Where the subject is what callers name, both are named alike.
  const { subject } = alice;
  const nothing = { ...unknownTarget(route.kind), ...(bob.subject === subject ? { subject } : {}) };
  const unknown = blank(await route.send(carol, nothing), nothing);
  const target = await makeTarget(route.kind, alice, engine);
  const untouched = await stateOf(engine, target);
  expect(blank(await route.send(bob, target), target)).toEqual(unknown);
  expect(await stateOf(engine, target)).toEqual(untouched);
  return { own: blank(await route.send(alice, target), target), unknown };
}

/** Checks that a task whose files are damaged is like nothing at all to a stranger. */
export async function checkDamaged(
  route: Route,
  { alice, bob, carol }: Callers,
  engine: Engine,
  damaged: Set<string>,
): Promise<void> {
  const nothing = unknownTarget(route.kind);
  const unknown = blank(await route.send(carol, nothing), nothing);
  const target = await makeTarget(route.kind, alice, engine);
  damaged.add(target.id);
  expect(blank(await route.send(bob, target), target)).toEqual(unknown);
}

/** As {@link checkStranger}, and that the owner gets further. */
export async function checkRoute(route: Route, callers: Callers, engine: Engine): Promise<void> {
  const { own, unknown } = await checkStranger(route, callers, engine);
  // Otherwise the route would lead nowhere, and show nothing.
  if (route.sameForOwner === true) expect(own).toEqual(unknown);
  else expect(own).not.toEqual(unknown);
}
