// The half of bench/bot.mjs in TypeScript: a GitHub, its pull requests, and the deliveries.
import { PROJECT } from '../../test/action/project.js';
import { flood } from '../../test/bot/flood.js';
import { floodStage, type Stage } from '../../test/bot/flood-stage.js';

export { flood, floodStage, PROJECT };

/** How many of a scene's pull requests have one comment, for their newest head. */
export function settled({ repository, pulls }: Stage): number {
  const { comments } = repository.discussion;
  const right = pulls.filter(({ number, headSha }) => {
    const [own, ...others] = comments.filter(({ issue }) => issue === number);
    return others.length === 0 && own?.body.includes(`sha=${headSha}`) === true;
  });
  return right.length;
}
