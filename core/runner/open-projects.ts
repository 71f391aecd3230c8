import { dirname, join } from 'node:path';
import { systemClock } from '../io/clock.js';
import { diskProjectFiles, storedIn } from '../io/project-files.js';
import { ProjectFolder } from '../projects/projects.js';

/** The projects that stand beside a runs folder, in `projects/`; nothing is made before something is written. */
export function openProjects({ runs }: { readonly runs: string }): ProjectFolder {
  return new ProjectFolder({
    files: diskProjectFiles(join(dirname(runs), 'projects')),
    clock: systemClock(),
    storedEnvelope: storedIn(runs),
  });
}
