import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../core/model/error-codes.js';
import { GROUNDING_MODES } from '../../core/model/report.js';
import { GROUNDING_RULES, SOURCE_RULES } from '../../core/model/violation.js';
import { generatedPages, stalePages } from '../../scripts/generate-docs.mjs';

const pages = await generatedPages();
const textOf = (path: string) => pages.find((page) => page.path === path)?.text ?? '';

describe('generatedPages', () => {
  it.each([...GROUNDING_RULES, ...SOURCE_RULES])('gives rule %s one section', (id) => {
    expect(textOf('docs/rules.md').split(`\n## ${id}: `)).toHaveLength(2);
  });

  it.each(GROUNDING_MODES)('gives mode %s one section', (mode) => {
    expect(textOf('docs/rules.md').split(`\n## Mode \`${mode}\`\n`)).toHaveLength(2);
  });

  it('gives every error code one row', () => {
    const rows = textOf('docs/errors.md').match(/^\| `[a-z0-9-]+` \|/gm) ?? [];
    expect(rows).toEqual(
      Object.keys(ERROR_CODES)
        .sort()
        .map((code) => `| \`${code}\` |`),
    );
  });
});

describe('stalePages', () => {
  it('returns the pages that are missing or differ, and no other', () => {
    const folder = mkdtempSync(join(tmpdir(), 'docs-'));
    try {
      mkdirSync(join(folder, 'docs'));
      writeFileSync(join(folder, 'docs/fresh.md'), 'x');
      writeFileSync(join(folder, 'docs/stale.md'), 'x ');
      const all = ['fresh', 'stale', 'missing'].map((name) => ({ path: `docs/${name}.md`, text: 'x' }));
      expect(stalePages(folder, all).map(({ path }) => path)).toEqual(['docs/stale.md', 'docs/missing.md']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
