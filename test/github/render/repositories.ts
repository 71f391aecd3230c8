import type { Repository } from '../state/repository.js';
import { nodeId, user } from './accounts.js';

type Json = Record<string, unknown>;

// The templates that GitHub lists for every repository: member name, then the path below the repository.
const TEMPLATES = {
  archive: '{archive_format}{/ref}',
  assignees: 'assignees{/user}',
  blobs: 'git/blobs{/sha}',
  branches: 'branches{/branch}',
  collaborators: 'collaborators{/collaborator}',
  comments: 'comments{/number}',
  commits: 'commits{/sha}',
  compare: 'compare/{base}...{head}',
  contents: 'contents/{+path}',
  contributors: 'contributors',
  deployments: 'deployments',
  downloads: 'downloads',
  events: 'events',
  forks: 'forks',
  git_commits: 'git/commits{/sha}',
  git_refs: 'git/refs{/sha}',
  git_tags: 'git/tags{/sha}',
  hooks: 'hooks',
  issue_comment: 'issues/comments{/number}',
  issue_events: 'issues/events{/number}',
  issues: 'issues{/number}',
  keys: 'keys{/key_id}',
  labels: 'labels{/name}',
  languages: 'languages',
  merges: 'merges',
  milestones: 'milestones{/number}',
  notifications: 'notifications{?since,all,participating}',
  pulls: 'pulls{/number}',
  releases: 'releases{/id}',
  stargazers: 'stargazers',
  statuses: 'statuses/{sha}',
  subscribers: 'subscribers',
  subscription: 'subscription',
  tags: 'tags',
  teams: 'teams',
  trees: 'git/trees{/sha}',
};

/** The API's address of a repository. */
export const address = (repository: Repository) => `${repository.world.addresses.api}/repos/${repository.fullName}`;

/** The site's address of a repository. */
export const page = (repository: Repository) => `${repository.world.addresses.site}/${repository.fullName}`;

/** A repository as GitHub's `minimal-repository`, which other answers hold. */
export function minimalRepository(repository: Repository): Json {
  const links = Object.entries(TEMPLATES).map(([name, path]) => [`${name}_url`, `${address(repository)}/${path}`]);
  return {
    id: repository.id,
    node_id: nodeId('Repository', repository.id),
    name: repository.name,
    full_name: repository.fullName,
    private: repository.private,
    owner: user(repository.world, repository.owner),
    html_url: page(repository),
    description: null,
    fork: repository.parent !== undefined,
    url: address(repository),
    ...Object.fromEntries(links),
  };
}

/** A repository as GitHub's `repository`, which pull requests and installations hold. */
export function repositoryOf(repository: Repository): Json {
  const { host } = new URL(repository.world.addresses.site);
  const openIssues = repository.discussion.issues.filter((issue) => issue.state === 'open').length;
  return {
    ...minimalRepository(repository),
    clone_url: `${page(repository)}.git`,
    git_url: `git://${host}/${repository.fullName}.git`,
    ssh_url: `git@${host}:${repository.fullName}.git`,
    svn_url: page(repository),
    mirror_url: null,
    homepage: null,
    language: null,
    license: null,
    default_branch: repository.defaultBranch,
    visibility: repository.private ? 'private' : 'public',
    archived: false,
    disabled: false,
    is_template: false,
    topics: [],
    web_commit_signoff_required: false,
    allow_forking: true,
    has_issues: true,
    has_projects: false,
    has_wiki: false,
    has_pages: false,
    has_downloads: true,
    has_discussions: false,
    forks: 0,
    forks_count: 0,
    open_issues: openIssues,
    open_issues_count: openIssues,
    size: 1,
    stargazers_count: 0,
    watchers: 0,
    watchers_count: 0,
    created_at: repository.createdAt,
    updated_at: repository.createdAt,
    pushed_at: repository.createdAt,
  };
}

/** A repository as `GET /repos/{owner}/{repo}` answers it. */
export function fullRepository(repository: Repository, permissions: Json): Json {
  const { parent } = repository;
  const family = parent === undefined ? {} : { parent: repositoryOf(parent), source: repositoryOf(parent) };
  return { ...repositoryOf(repository), network_count: 0, subscribers_count: 0, permissions, ...family };
}
