import type { Account, Comment, Issue, Label, Reaction } from './records.js';
import type { Repository } from './repository.js';

/** Issues, comments, reactions and labels of one repository. */
export class Discussion {
  readonly issues: Issue[] = [];
  readonly comments: Comment[] = [];
  readonly labels: Label[] = [];
  readonly #repository: Repository;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  open(options: {
    readonly title: string;
    readonly body?: string | null;
    readonly user: Account;
    readonly app?: number | undefined;
    readonly isPull?: boolean;
    readonly labels?: readonly string[];
  }): Issue {
    const { world } = this.#repository;
    const issue: Issue = {
      id: world.id(),
      number: this.issues.length + 1,
      user: options.user,
      app: options.app,
      isPull: options.isPull ?? false,
      title: options.title,
      body: options.body ?? null,
      state: 'open',
      stateReason: null,
      labels: [...(options.labels ?? [])],
      closedAt: null,
      createdAt: world.now(),
      updatedAt: world.now(),
    };
    for (const name of issue.labels) this.label(name);
    this.issues.push(issue);
    return issue;
  }

  find(number: number): Issue | undefined {
    return this.issues.find((issue) => issue.number === number);
  }

  comment(options: {
    readonly issue: number;
    readonly body: string;
    readonly user: Account;
    readonly app?: number | undefined;
  }): Comment {
    const { world } = this.#repository;
    const now = world.now();
    const { issue, body, user, app } = options;
    const comment = { id: world.id(), issue, user, app, body, createdAt: now, updatedAt: now, reactions: [] };
    this.comments.push(comment);
    return comment;
  }

  /** Comments of one issue, oldest first. */
  commentsOf(number: number): Comment[] {
    return this.comments.filter((comment) => comment.issue === number);
  }

  remove(comment: Comment): void {
    this.comments.splice(this.comments.indexOf(comment), 1);
  }

  /** Adds a reaction, or returns the same person's same one. */
  react(options: { readonly comment: Comment; readonly user: Account; readonly content: string }): {
    readonly reaction: Reaction;
    readonly isNew: boolean;
  } {
    const { comment, user, content } = options;
    const known = comment.reactions.find((one) => one.user.id === user.id && one.content === content);
    if (known !== undefined) return { reaction: known, isNew: false };
    const { world } = this.#repository;
    const reaction = { id: world.id(), user, content, createdAt: world.now() };
    comment.reactions.push(reaction);
    return { reaction, isNew: true };
  }

  /** The label of that name, made if it is new, as GitHub does for issues. */
  label(name: string, more: { readonly color?: string; readonly description?: string | null } = {}): Label {
    const known = this.findLabel(name);
    if (known !== undefined) return known;
    const color = more.color ?? 'ededed';
    const label = { id: this.#repository.world.id(), name, color, description: more.description ?? null };
    this.labels.push(label);
    return label;
  }

  findLabel(name: string): Label | undefined {
    return this.labels.find((label) => label.name.toLowerCase() === name.toLowerCase());
  }
}
