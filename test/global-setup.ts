import { buildAll } from '../scripts/build.mjs';

/** Tests start real child processes from build/, so the build is made from the sources under test. */
export default async function setup(): Promise<void> {
  await buildAll();
}
