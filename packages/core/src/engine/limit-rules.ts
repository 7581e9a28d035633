import { readDuration } from "../duration.js";
import { ResumableError } from "../errors.js";
import { type EngineLimits, fixedLimits } from "../limits.js";
import { isOwner } from "../task/owner-tag.js";
import type { Tool } from "../tool/tool.js";

/** What counts for the tasks of one tool, or of one owner, in place of what counts for all. */
export interface LimitRule {
  /**
   * How long finished tasks are kept, in milliseconds. Of the rule for a tool, or else the tool's own `ttl`, and the rule for an
   * owner the shorter time counts.
   */
  readonly ttlMs?: number;
  /** Tasks of the tool that run at once in one process, in place of the tool's own number: in rules for tools alone. */
  readonly maxRunning?: number;
  /** Unfinished tasks that the owner may have: in rules for owners alone. */
  readonly maxUnfinishedPerOwner?: number;
}

/**
 * Rules by what they are for: a tool's name; an owner, such as `sub:alice`; or all owners of a kind, such as `session:*`, of
 * which each one has the limit. The rule for an owner counts in place of that for its kind.
 */
export type LimitRules = { readonly [toolOrOwner: string]: LimitRule };

interface Limited {
  readonly limits: Pick<EngineLimits, "ttlMs" | "maxUnfinishedPerOwner">;
  readonly limitRules: LimitRules;
}

/** How long a task of this tool and owner is kept when it has finished, in milliseconds. Limits: `maxTtlMs`. */
export function keptMs(limited: Limited, tool: Pick<Tool, "name" | "ttl">, owner: string): number {
  return Math.min(askedTtlMs(limited, tool, owner), fixedLimits.maxTtlMs);
}

function askedTtlMs({ limits, limitRules }: Limited, tool: Pick<Tool, "name" | "ttl">, owner: string): number {
  const ofTool = limitRules[tool.name]?.ttlMs ?? readDuration(tool.ttl);
  const ofOwner = ruleOf(limitRules, owner, "ttlMs");
  if (ofTool === undefined || ofOwner === undefined) return ofTool ?? ofOwner ?? limits.ttlMs;
  return Math.min(ofTool, ofOwner);
}

/** How many tasks of a tool may run at once in one process. */
export function maxRunningFor(
  { limitRules }: Pick<Limited, "limitRules">,
  tool: Pick<Tool, "name" | "maxRunning">,
): number {
  return limitRules[tool.name]?.maxRunning ?? tool.maxRunning ?? Number.POSITIVE_INFINITY;
}

/** How many unfinished tasks an owner may have. */
export function maxUnfinishedFor({ limits, limitRules }: Limited, owner: string): number {
  return ruleOf(limitRules, owner, "maxUnfinishedPerOwner") ?? limits.maxUnfinishedPerOwner;
}

function ruleOf(rules: LimitRules, owner: string, limit: keyof LimitRule): number | undefined {
  const kind = `${owner.slice(0, owner.indexOf(":"))}:*`;
  return rules[owner]?.[limit] ?? rules[kind]?.[limit];
}

/** The values of a flag that takes one for all, and others for single tools and owners. */
export interface RuleTexts {
  readonly all?: string;
  /** By tool or owner. */
  readonly single: ReadonlyMap<string, string>;
}

/**
 * Takes the values of a flag apart, of which `SUBJECT=VALUE` is for one tool or owner.
 *
 * @throws {@link ResumableError} `INVALID_OPTION` for a flag that is given twice for the same.
 */
export function splitRules(flag: string, texts: readonly string[] = []): RuleTexts {
  const single = new Map<string, string>();
  let all: string | undefined;
  for (const text of texts) {
    const end = text.lastIndexOf("=");
    const subject = text.slice(0, Math.max(end, 0));
    if (end < 0 ? all !== undefined : single.has(subject)) {
      throw new ResumableError("INVALID_OPTION", `${flag} is given twice for ${subject || "all"}. Give it once.`, {
        details: { option: flag },
      });
    }
    if (end < 0) all = text;
    else single.set(subject, text.slice(end + 1));
  }
  return { ...(all !== undefined && { all }), single };
}

/** Who may have a rule of each limit. */
const subjects: { readonly [Limit in keyof LimitRule]-?: readonly ("tool" | "owner")[] } = {
  ttlMs: ["tool", "owner"],
  maxRunning: ["tool"],
  maxUnfinishedPerOwner: ["owner"],
};

/**
 * Checks rules, and copies them into an object without a prototype: owners are of any text.
 *
 * @throws {@link ResumableError} `INVALID_OPTION` for a rule of a tool that there is not, or a value that cannot count.
 */
export function checkLimitRules(rules: LimitRules = {}, tools: ReadonlyMap<string, unknown>): LimitRules {
  const checked: Record<string, LimitRule> = Object.create(null);
  for (const [subject, rule] of Object.entries(rules)) {
    const kind = isOwner(subject) ? "owner" : "tool";
    if (kind === "tool" && !tools.has(subject)) {
      const known = tools.size === 0 ? "" : ` Tools: ${[...tools.keys()].join(", ")}.`;
      const what = "is not a tool, nor an owner such as sub:alice or session:*";
      throw invalid(subject, `${JSON.stringify(subject)} ${what}.${known}`);
    }
    for (const [limit, value] of Object.entries(rule)) checkRule({ subject, kind, limit, value });
    checked[subject] = { ...rule };
  }
  return checked;
}

function checkRule(rule: { subject: string; kind: "tool" | "owner"; limit: string; value: unknown }): void {
  const { subject, kind, limit, value } = rule;
  if (!isLimit(limit)) {
    throw invalid(subject, `${limit} is not a limit of single tools or owners: ${Object.keys(subjects).join(", ")}.`);
  }
  if (!subjects[limit].includes(kind)) {
    throw invalid(subject, `${limit} is for ${subjects[limit][0]}s alone, and ${subject} is not one.`);
  }
  if (value === undefined || (typeof value === "number" && value >= 0)) return;
  throw invalid(subject, `${limit} of ${subject} must be 0 or more, not ${String(value)}.`);
}

function isLimit(limit: string): limit is keyof LimitRule {
  return Object.hasOwn(subjects, limit);
}

function invalid(subject: string, message: string): ResumableError {
  return new ResumableError("INVALID_OPTION", message, {
    details: { option: `limitRules[${JSON.stringify(subject)}]` },
  });
}
