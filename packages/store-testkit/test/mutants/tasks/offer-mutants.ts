import type { Offers } from "@resumable-mcp/core/store";
import type { Mutant } from "../mutant.js";

/** Stores that are wrong about what workers offer. */
export const offerMutants: readonly Mutant[] = [
  {
    name: "publishes nothing",
    killedBy: "OFFER-1",
    mutate: (store) => ({ heartbeat: ({ worker, now }) => store.heartbeat({ worker, now }) }),
  },
  {
    name: "publishes versions alone",
    killedBy: "OFFER-1",
    mutate: (store) => ({
      async listOffers(request) {
        const all = await store.listOffers(request);
        return all.map(({ worker, offers }) => ({
          worker,
          offers: Object.fromEntries(Object.entries(offers).map(([tool, { version }]) => [tool, { version }])),
        }));
      },
    }),
  },
  {
    name: "names all workers alike",
    killedBy: "OFFER-1",
    mutate: (store) => ({
      async listOffers(request) {
        return (await store.listOffers(request)).map(({ offers }) => ({ worker: "worker", offers }));
      },
    }),
  },
  {
    name: "lists a worker's own offers, too",
    killedBy: "OFFER-1",
    mutate: (store) => ({ listOffers: (request) => store.listOffers({ ...request, worker: "worker-none" }) }),
  },
  {
    name: "forgets offers at a heartbeat without offers",
    killedBy: "OFFER-2",
    mutate: (store) => ({
      heartbeat: (request) => store.heartbeat({ ...request, offers: request.offers ?? {} }),
    }),
  },
  {
    name: "keeps a worker's first offers",
    killedBy: "OFFER-2",
    mutate(store) {
      const first = new Map<string, Offers>();
      return {
        async heartbeat(request) {
          const { worker, offers } = request;
          if (offers !== undefined && !first.has(worker)) first.set(worker, offers);
          await store.heartbeat({ ...request, offers: first.get(worker) });
        },
      };
    },
  },
  {
    name: "lists the offers of its own process alone",
    killedBy: "OFFER-3",
    mutate(store) {
      const own = new Map<string, Offers>();
      return {
        async heartbeat(request) {
          if (request.offers !== undefined) own.set(request.worker, request.offers);
          await store.heartbeat(request);
        },
        async listOffers({ worker }) {
          return [...own].flatMap(([name, offers]) => (name === worker ? [] : [{ worker: name, offers }]));
        },
      };
    },
  },
  {
    name: "lists the offers of every worker that there ever was",
    killedBy: "OFFER-4",
    mutate: (store) => ({ listOffers: (request) => store.listOffers({ ...request, ttlMs: 1e12 }) }),
  },
];
