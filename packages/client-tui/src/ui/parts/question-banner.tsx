import type { Question } from "@resumable-mcp/client";
import { Text } from "ink";
import type { ReactNode } from "react";
import { cutText, plainText } from "../../display/plain-text.js";
import { type BoardTask, isUnfinished } from "../../model/board-task.js";
import type { Screen } from "../navigation.js";
import { useTheme } from "./theme.js";

/** A question that waits for the user, and whose it is. */
export interface OpenQuestion {
  readonly task: BoardTask;
  readonly question: Question;
}

/** The questions that wait, without the one that is being answered. */
export function openQuestions(tasks: Iterable<BoardTask>, screen: Screen): readonly OpenQuestion[] {
  return [...tasks]
    .filter(isUnfinished)
    .flatMap((task) => task.info.questions.map((question) => ({ task, question })))
    .filter(
      ({ task, question }) =>
        screen.name !== "answer" || screen.taskId !== task.info.id || screen.question.key !== question.key,
    );
}

/** Tells wherever the user is that a task asks something, and with which key to answer. */
export function QuestionBanner(props: {
  readonly questions: readonly OpenQuestion[];
  readonly columns: number;
}): ReactNode {
  const { questions, columns } = props;
  const color = useTheme().statusColor("input_required");
  return (
    <Text bold wrap="truncate" color={color}>
      {bannerText(questions, columns)}
    </Text>
  );
}

/** The key stands first: what gives way on a narrow screen is the question. */
export function bannerText(questions: readonly OpenQuestion[], columns: number): string {
  const [first, ...others] = questions;
  if (first === undefined) return "";
  const more = others.length === 0 ? "" : ` (+${others.length} more)`;
  const { task, question } = first;
  return cutText(plainText(`? Ctrl-Y answers${more}: ${task.info.tool} asks: ${question.message}`), columns);
}
