/** What every server offers in either era. */
export const offered = {
  logging: {},
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
};
