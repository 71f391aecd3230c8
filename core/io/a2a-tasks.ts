import { randomUUID } from 'node:crypto';
import { type Artifact, Role, type Task, TaskState } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutor, type TaskStore } from '@a2a-js/sdk/server';
import type { IncomingMessage, OutgoingArtifact, TaskAnswer } from '../agents/a2a/task-answer.js';
import { Caller } from './a2a-call.js';

/** Keeps nothing: a task is answered when it ends, and is never asked for again. Memory stays flat, and nothing echoes what was sent. */
export const forgetfulTasks: TaskStore = {
  save: async () => {},
  load: async () => undefined,
  list: async () => ({ tasks: [], nextPageToken: '', pageSize: 0, totalSize: 0 }),
};

/** Answers each message with one task that has ended. */
export function taskExecutor(answer: (message: IncomingMessage) => Promise<TaskAnswer>): AgentExecutor {
  return {
    async execute({ taskId, contextId, context }, bus) {
      const message = context.user instanceof Caller ? context.user.message : undefined;
      const given: TaskAnswer =
        message === undefined
          ? { kind: 'failed', error: 'there is no message' }
          : await answer(message).catch(() => ({ kind: 'failed', error: 'the server failed' }));
      bus.publish(AgentEvent.task(taskOf(given, { taskId, contextId })));
    },
    cancelTask: async () => {},
  };
}

function taskOf(answer: TaskAnswer, ids: { readonly taskId: string; readonly contextId: string }): Task {
  const completed = answer.kind === 'completed';
  return {
    id: ids.taskId,
    contextId: ids.contextId,
    status: {
      state: completed ? TaskState.TASK_STATE_COMPLETED : TaskState.TASK_STATE_FAILED,
      message: completed
        ? undefined
        : {
            messageId: randomUUID(),
            contextId: ids.contextId,
            taskId: ids.taskId,
            role: Role.ROLE_AGENT,
            parts: [dataPart({ error: answer.error })],
            metadata: undefined,
            extensions: [],
            referenceTaskIds: [],
          },
      timestamp: new Date().toISOString(),
    },
    artifacts: completed ? answer.artifacts.map(artifactOf) : [],
    history: [],
    metadata: undefined,
  };
}

function artifactOf({ name, part }: OutgoingArtifact): Artifact {
  return {
    artifactId: randomUUID(),
    name,
    description: '',
    parts: [part.kind === 'data' ? dataPart(JSON.parse(part.value.text())) : textPart(part.text)],
    metadata: undefined,
    extensions: [],
  };
}

function dataPart(value: unknown): Artifact['parts'][number] {
  return { content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType: 'application/json' };
}

function textPart(value: string): Artifact['parts'][number] {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'application/json' };
}
