import type { NewSignal } from "@resumable-mcp/core/store";
import { asked, checkpoint, completed, failed, restarted } from "../event-samples.js";
import { expectCode, expectEqual, expectThat, findOutcome, pluck } from "../expect.js";
import { defineClauses, type Scene } from "../scene.js";

const concurrentAnswers = 20;
const answer = (key: string, action: "decline" | "cancel" = "decline", itemsFromSeq?: number): NewSignal => ({
  kind: "answer",
  key,
  answer: { action },
  ...(itemsFromSeq !== undefined && { itemsFromSeq }),
});

async function pending(scene: Scene, id: string) {
  return (await scene.read(id)).signals;
}

async function kinds(scene: Scene, id: string): Promise<readonly string[]> {
  return (await pending(scene, id)).map(({ kind }) => kind);
}

/** Leaves signals one after another. */
async function leave(scene: Scene, id: string, ...kinds: readonly NewSignal["kind"][]): Promise<void> {
  for (const kind of kinds) if (kind !== "answer") await scene.store.signal(id, { kind });
}

/** Consumes everything that is pending, with these events. */
async function consumeAll(scene: Scene, id: string, events: Parameters<Scene["commit"]>[1]): Promise<void> {
  const held = await scene.lease(id);
  await scene.commit(held, events, { consume: (await pending(scene, id)).map((signal) => signal.id) });
  await scene.store.releaseLease(held);
}

/** Requests of those who do not hold the lease. */
export const signalClauses = defineClauses({
  "SIGNAL-1": {
    title: "keeps signals, oldest first, with ids of their own, until they are consumed",
    because: "A request waits for the worker that runs the task next.",
    async check(scene) {
      const { record } = await scene.create();
      const pause = { kind: "pause", cause: "caller_left" } as const;
      await leave(scene, record.id, "detach");
      await scene.store.signal(record.id, pause);
      const given = { kind: "answer", key: "a", answer: { action: "accept", content: { n: 1 } } } as const;
      await scene.store.signal(record.id, given);
      await leave(scene, record.id, "cancel");
      await scene.store.signal(record.id, answer("b"));
      await scene.write(record.id, [checkpoint(1)]);
      const signals = await pending(scene, record.id);
      const requests = signals.map(({ id, ...request }) => request);
      const expected = [{ kind: "detach" }, pause, given, { kind: "cancel" }, answer("b")];
      expectEqual(requests, expected, "signals");
      expectEqual(new Set(signals.map(({ id }) => id)).size, expected.length, "different ids");
    },
  },
  "SIGNAL-2": {
    title: "keeps one desiredState of pause and resume, the newest",
    because: "Who changes their mind means the last thing they said.",
    async check(scene) {
      const { record } = await scene.create();
      await leave(scene, record.id, "pause", "resume");
      expectEqual(await kinds(scene, record.id), ["resume"], "after pause, resume");
      await leave(scene, record.id, "resume", "pause", "pause");
      expectEqual(await kinds(scene, record.id), ["pause"], "after pause again");
    },
  },
  "SIGNAL-3": {
    title: "keeps cancel, detach and offer once, whatever comes after them",
    because: "A cancellation is not taken back by a resume that crossed it.",
    async check(scene) {
      const { record } = await scene.create();
      await leave(scene, record.id, "cancel", "detach", "offer");
      const first = await pending(scene, record.id);
      await leave(scene, record.id, "detach", "offer", "cancel", "resume", "cancel");
      expectEqual((await pending(scene, record.id)).slice(0, 3), first, "the first signals");
      expectEqual(await kinds(scene, record.id), ["cancel", "detach", "offer", "resume"], "signals");
    },
  },
  "SIGNAL-4": {
    title: `takes one of ${concurrentAnswers} concurrent answers to a question`,
    because: "G9: a question takes at most one answer.",
    async check(scene) {
      const { id } = await scene.taskWith([asked("go")]);
      const tries = Array.from(
        { length: concurrentAnswers },
        (_, index) => ({ action: "accept", content: { index } }) as const,
      );
      const signalled = tries.map((answer) =>
        findOutcome(scene.store.signal(id, { kind: "answer", key: "go", answer })),
      );
      const outcomes = await Promise.all(signalled);
      const refused = outcomes.filter((outcome) => outcome === "ALREADY_ANSWERED").length;
      expectEqual(refused, concurrentAnswers - 1, "refused answers");
      const given = tries[outcomes.indexOf("ok")];
      const taken = (await pending(scene, id)).map((signal) => signal.kind === "answer" && signal.answer);
      expectEqual(taken, [given], "answers");
    },
  },
  "SIGNAL-5": {
    title: "refuses a second answer to a question also after the first was consumed",
    because: "G9: an answer that was taken is never replaced.",
    async check(scene) {
      const { id } = await scene.taskWith([asked("go")]);
      await scene.store.signal(id, answer("go"));
      await consumeAll(scene, id, [{ type: "answered", key: "go", answer: { action: "decline" } }]);
      await expectCode(scene.store.signal(id, answer("go", "cancel")), ["ALREADY_ANSWERED"], "a second answer");
      await scene.write(id, [failed, restarted(2, true)]);
      await expectCode(scene.store.signal(id, answer("go")), ["ALREADY_ANSWERED"], "one after going on");
      expectEqual(await pending(scene, id), [], "signals");
    },
  },
  "SIGNAL-6": {
    title: "takes answers to different questions, whatever their keys",
    because: "Keys come from tool code.",
    async check(scene) {
      const { record } = await scene.create();
      const keys = ["a", "A", "__proto__", "a/b", "../a", "", "ä", "x".repeat(200)];
      for (const key of keys) await scene.store.signal(record.id, answer(key));
      const found = (await pending(scene, record.id)).map((signal) => signal.kind === "answer" && signal.key);
      expectEqual(found, keys, "keys of answers");
    },
  },
  "SIGNAL-7": {
    title: "takes an answer again after a restart from nothing",
    because: "The new generation forgot question and answer, and asks again.",
    async check(scene) {
      const { id } = await scene.taskWith([asked("go")]);
      await scene.store.signal(id, answer("go"));
      await consumeAll(scene, id, [{ type: "answered", key: "go", answer: { action: "decline" } }, failed]);
      await scene.write(id, [restarted(2, false), asked("go")]);
      await scene.store.signal(id, answer("go", "cancel"));
      await expectCode(scene.store.signal(id, answer("go")), ["ALREADY_ANSWERED"], "a second answer");
      const answered = { type: "answered", key: "go", answer: { action: "cancel" } } as const;
      await consumeAll(scene, id, [answered, restarted(3, false), asked("go")]);
      await scene.store.signal(id, answer("go"));
      expectEqual(await kinds(scene, id), ["answer"], "signals after an answer and a restart in one commit");
    },
  },
  "SIGNAL-13": {
    title: "refuses an answer to a question from before a restart from nothing",
    because: "Kept, it would take the place of the answer to the same question when it is asked again.",
    async check(scene) {
      const before = await scene.taskWith([asked("go")]);
      const { id } = before;
      const early = answer("go", "decline", before.itemsFromSeq);
      await scene.write(id, [failed, restarted(2, false)]);
      await expectCode(scene.store.signal(id, early), ["UNKNOWN_QUESTION"], "an answer to the forgotten question");
      await scene.write(id, [asked("go")]);
      const { itemsFromSeq } = (await scene.read(id)).record;
      await scene.store.signal(id, answer("go", "decline", itemsFromSeq));
      const [{ id: _, ...kept } = { id: "" }] = await pending(scene, id);
      expectEqual(kept, answer("go"), "the answer to the question that is asked again");
    },
  },
  "SIGNAL-8": {
    title: "removes only the signals that a commit names",
    because: "A request that came meanwhile would be lost unseen.",
    async check(scene) {
      const { record } = await scene.create();
      await leave(scene, record.id, "detach", "pause");
      const [, pause] = await pending(scene, record.id);
      expectThat(pause !== undefined, "the pause is pending");
      await leave(scene, record.id, "resume");
      const held = await scene.lease(record.id);
      const { signals } = await scene.commit(held, [], { consume: [pause.id, "no-such-signal"] });
      expectEqual(pluck(signals, "kind"), ["detach", "resume"], "signals of the commit");
      expectEqual(await kinds(scene, record.id), ["detach", "resume"], "signals");
    },
  },
  "SIGNAL-9": {
    title: "keeps signals of finished tasks",
    because: "That a result was delivered is said when the task has finished.",
    async check(scene) {
      const { record } = await scene.create();
      await leave(scene, record.id, "detach");
      await scene.write(record.id, [completed]);
      await leave(scene, record.id, "delivered");
      expectEqual(await kinds(scene, record.id), ["detach", "delivered"], "signals");
    },
  },
  "SIGNAL-10": {
    title: "takes a request again after it was consumed",
    because: "A restarted task can be cancelled again.",
    async check(scene) {
      const { record } = await scene.create();
      await leave(scene, record.id, "cancel");
      await consumeAll(scene, record.id, []);
      await leave(scene, record.id, "cancel");
      expectEqual(await kinds(scene, record.id), ["cancel"], "signals");
    },
  },
  "SIGNAL-11": {
    title: "shows a runner the signals that another process left, and keeps answers exclusive between processes",
    because: "Who answers is seldom where the task runs.",
    needs: "second",
    async check(scene) {
      const second = await scene.another("second");
      const { id } = await scene.taskWith([asked("go")]);
      const held = await scene.lease(id);
      const both = [scene.store, second].map((store) => findOutcome(store.signal(id, answer("go"))));
      expectEqual((await Promise.all(both)).sort(), ["ALREADY_ANSWERED", "ok"], "two answers");
      await second.signal(id, { kind: "cancel" });
      const { signals } = await scene.commit(held, [checkpoint(1)]);
      expectEqual(pluck(signals, "kind"), ["answer", "cancel"], "signals of the commit");
    },
  },
  "SIGNAL-12": {
    title: "keeps one value of delivered and undelivered, the newest, and createTask goes by it",
    because: "A caller that gives up after its result was sent did not get it: the same call gets it again.",
    async check(scene) {
      const call = { key: "call" };
      const { id } = await scene.taskWith([completed], call);
      await leave(scene, id, "delivered", "undelivered");
      expectEqual(await kinds(scene, id), ["undelivered"], "after delivered, undelivered");
      const again = await scene.create(call);
      expectEqual([again.record.id, again.created], [id, false], "the same call");
      await leave(scene, id, "undelivered", "delivered", "delivered");
      expectEqual(await kinds(scene, id), ["delivered"], "after delivered again");
      expectEqual((await scene.create(call)).created, true, "created when it was delivered");
    },
  },
});
