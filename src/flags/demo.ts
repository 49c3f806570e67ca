// The calls that `--demo` makes to the flag service: a project with flags in different states, a segment, a repository that
// names a flag, a team and a role.
import type { DemoCall, DemoCalls, DemoPart } from '../kernel/http/protocol.ts';
import { requireAdmin } from '../kernel/identity/first-start.ts';
import { findRole } from '../kernel/identity/store-roles.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Db } from '../kernel/storage/tables.ts';
import { codeRepositoryResource } from './code-references/model.ts';
import { findRepository } from './code-references/store.ts';
import { projectResource } from './policy/resources.ts';
import { findProject } from './projects/store.ts';
import { roleResource } from './roles/model.ts';
import { teamResource } from './teams/model.ts';
import { findTeam } from './teams/store.ts';

const SHOP = 'demo';
const ROLE = 'demo-releaser';
const TEAM = 'demo-web';
const CODE = 'demo-shop';

const make = (path: string, body: object): DemoCall => ({ method: 'POST', path, body });

/** A JSON patch of the version that is named: when it has been made, or somebody has changed more, it conflicts. */
const patchOf = (path: string, comment: string, version: number, patch: object[]): DemoCall => ({
  method: 'PATCH',
  path,
  body: { comment, patch: [{ op: 'test', path: '/version', value: version }, ...patch] },
});

/** Changes the flag's configuration in an environment. */
const configure = (
  flag: string,
  version: number,
  environment: string,
  comment: string,
  values: Record<string, unknown>,
) =>
  patchOf(
    `/flags/${SHOP}/${flag}`,
    comment,
    version,
    Object.entries(values).map(([path, value]) => ({
      op: path.endsWith('-') ? 'add' : 'replace',
      path: `/environments/${environment}/${path}`,
      value,
    })),
  );

const isBetaTester = { attribute: '', op: 'segmentMatch', values: ['beta-testers'], negate: false };

/** Nothing where the example was completed before, so that what was deleted of it since stays deleted. */
export async function* flagsDemo(kernel: Pick<Kernel, 'engine' | 'publicUrl'>): DemoCalls {
  const isThere = (path: string): DemoCall => ({ method: 'GET', path });
  const project = yield isThere(`/projects/${SHOP}`);
  const role = yield isThere(`/roles/${ROLE}`);
  if (project.status === 200 && role.status === 200) return;
  yield* CALLS;
  // Before that nobody may know the port.
  yield 'listening';
  const { username } = await requireAdmin(kernel.engine);
  yield {
    method: 'PATCH',
    path: `/code-refs/repositories/${CODE}`,
    body: [{ op: 'add', path: '/sourceLink', value: `${kernel.publicUrl}/${username}/${CODE}` }],
    existing: 404,
  };
}

export async function* removeFlagsDemo(): DemoCalls {
  for (const path of [
    `/projects/${SHOP}`,
    `/teams/${TEAM}`,
    `/roles/${ROLE}`,
    `/code-refs/repositories/${CODE}`,
  ])
    yield { method: 'DELETE', path };
}

export async function flagsDemoParts(db: Db): Promise<DemoPart[]> {
  const project = await findProject(db, SHOP);
  const team = await findTeam(db, TEAM);
  const role = await findRole(db, ROLE);
  const code = await findRepository(db, CODE);
  return [
    ...(project
      ? [{ resource: projectResource({ ...project, tags: [] }), kind: 'project', name: project.name }]
      : []),
    ...(team ? [{ resource: teamResource(team), kind: 'team', name: team.name }] : []),
    ...(role ? [{ resource: roleResource(role), kind: 'role', name: role.name }] : []),
    ...(code
      ? [
          {
            resource: codeRepositoryResource(code),
            kind: 'code-reference-repository',
            name: CODE,
            isFinishedLast: true,
          },
        ]
      : []),
  ];
}

const CALLS: DemoCall[] = [
  make('/projects', {
    key: SHOP,
    name: 'Demo shop',
    tags: ['demo'],
    environments: [
      { key: 'test', name: 'Test', color: '417505' },
      { key: 'production', name: 'Production', color: 'f5a623', critical: true, requireComments: true },
    ],
  }),
  make(`/segments/${SHOP}/production`, {
    key: 'beta-testers',
    name: 'Beta testers',
    description: 'Who sees new things first',
    tags: ['beta'],
  }),
  patchOf(`/segments/${SHOP}/production/beta-testers`, 'Who has asked for it', 1, [
    { op: 'add', path: '/included/-', value: 'ada' },
    { op: 'add', path: '/included/-', value: 'grace' },
  ]),
  make(`/flags/${SHOP}`, {
    key: 'new-checkout',
    name: 'New checkout',
    description: 'The checkout on one page',
    tags: ['checkout'],
    clientSideAvailability: { usingEnvironmentId: true, usingMobileKey: true },
  }),
  configure('new-checkout', 1, 'test', 'For all who test', { on: true }),
  configure('new-checkout', 2, 'production', 'Beta testers, and a tenth of all others', {
    on: true,
    'rules/-': { description: 'Beta testers', variation: 0, clauses: [isBetaTester] },
    fallthrough: {
      rollout: {
        contextKind: 'user',
        variations: [
          { variation: 0, weight: 10_000 },
          { variation: 1, weight: 90_000 },
        ],
      },
    },
  }),
  make(`/flags/${SHOP}`, {
    key: 'banner-colour',
    name: 'Colour of the banner',
    temporary: false,
    tags: ['design'],
    variations: [
      { value: 'blue', name: 'Blue' },
      { value: 'green', name: 'Green' },
      { value: 'grey', name: 'Grey' },
    ],
    defaults: { onVariation: 0, offVariation: 2 },
    clientSideAvailability: { usingEnvironmentId: true, usingMobileKey: false },
  }),
  configure('banner-colour', 1, 'production', 'Green for those who like it so', {
    on: true,
    'targets/-': { variation: 1, values: ['grace'] },
  }),
  make(`/flags/${SHOP}`, {
    key: 'search-limits',
    name: 'Limits of the search',
    temporary: false,
    variations: [
      { value: { results: 20, timeoutMs: 500 }, name: 'Usual' },
      { value: { results: 5, timeoutMs: 200 }, name: 'Under load' },
    ],
  }),
  make('/code-refs/repositories', {
    name: CODE,
    type: 'custom',
  }),
  {
    method: 'PUT',
    path: `/code-refs/repositories/${CODE}/branches/main`,
    body: {
      name: 'main',
      head: '5f2c1e9a7b3d4c6e8f0a1b2c3d4e5f6a7b8c9d0e',
      syncTime: Date.UTC(2026, 0, 1),
      references: [
        {
          path: 'src/checkout.ts',
          hint: 'typescript',
          hunks: [
            {
              startingLineNumber: 12,
              lines: "if (flags.variation('new-checkout', user, false)) {",
              projKey: SHOP,
              flagKey: 'new-checkout',
            },
          ],
        },
      ],
    },
  },
  make('/teams', { key: TEAM, name: 'Web', description: 'Looks after the demo shop' }),
  make('/roles', {
    key: ROLE,
    name: 'Demo releaser',
    description: 'Turns flags of the demo shop on and off, and changes nothing else',
    policy: [{ effect: 'allow', actions: ['updateOn'], resources: [`proj/${SHOP}:env/*:flag/*`] }],
  }),
];
