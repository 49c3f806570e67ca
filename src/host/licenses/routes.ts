// The licences that a new repository may begin with: those that most people use, with what they allow, and each of the SPDX list.
import { Failure } from '../../kernel/failure.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { HostPageQuery, pageSliceOf } from '../list-query.ts';
import { findLicenseId, licenseNames, licenseOf, LicenseSimple } from './license.ts';
import { licenseTextOf } from './recognize-license.ts';

const License = Type.Object(
  {
    ...LicenseSimple.properties,
    html_url: Type.String(),
    description: Type.String(),
    implementation: Type.String(),
    permissions: Type.Array(Type.String()),
    conditions: Type.Array(Type.String()),
    limitations: Type.Array(Type.String()),
    body: Type.String(),
    featured: Type.Boolean(),
  },
  { $id: 'license' },
);

const listLicenses = route(
  {
    id: 'licenses/get-all-commonly-used',
    method: 'GET',
    path: '/licenses',
    summary: 'List the licences that most people use',
    access: 'anyone',
    query: Type.Object({
      featured: Type.Optional(
        Type.Boolean({ description: 'Only those that people are offered first, or only the others' }),
      ),
      ...HostPageQuery,
    }),
    list: LicenseSimple,
  },
  ({ query, base }) => {
    const { featured } = query;
    const keys = Object.entries(COMMON_LICENSES)
      .filter(([, { isFeatured = false }]) => featured === undefined || isFeatured === featured)
      .map(([key]) => key);
    const slice = pageSliceOf(query);
    const shown = keys.slice(slice.offset, slice.offset + slice.limit);
    return new Page(
      shown.map((key) => licenseOf(findLicenseId(key)!, base)),
      keys.length,
      slice,
    );
  },
);

/** Of licences that are not in the table. */
const NO_SUMMARY: LicenseSummary = {
  description: 'This server has no summary of the licence. Read its text.',
  permissions: [],
  conditions: [],
  limitations: [],
};

const getLicense = route(
  {
    id: 'licenses/get',
    method: 'GET',
    path: '/licenses/{license}',
    summary: 'Get a licence and its text',
    access: 'anyone',
    params: Type.Object({
      license: Type.String({ description: 'The SPDX identifier, such as `mit` or `apache-2.0`' }),
    }),
    reply: { 200: License },
  },
  ({ params, base }) => {
    const id = findLicenseId(params.license);
    const simple = id === undefined ? null : licenseOf(id, base);
    if (id === undefined || simple === null) throw new Failure('not-found', 'There is no such licence');
    const { description, permissions, conditions, limitations, isFeatured } =
      COMMON_LICENSES[simple.key] ?? NO_SUMMARY;
    return {
      ...simple,
      html_url: licenseNames()[id]?.url ?? `https://spdx.org/licenses/${id}.html`,
      description,
      implementation:
        'Put the text into a file named LICENSE in the root of the repository, with the year and your name.',
      permissions: [...permissions],
      conditions: [...conditions],
      limitations: [...limitations],
      body: licenseTextOf(id),
      featured: isFeatured === true,
    };
  },
);

export const licenseRoutes = [listLicenses, getLicense];

interface LicenseSummary {
  description: string;
  permissions: readonly string[];
  conditions: readonly string[];
  limitations: readonly string[];
  /** Those that people are offered first. */
  isFeatured?: true;
}

const USE = ['commercial-use', 'modifications', 'distribution', 'private-use'];
const USE_AND_PATENTS = ['commercial-use', 'modifications', 'distribution', 'patent-use', 'private-use'];
const NOTICE = ['include-copyright'];
const COPYLEFT = ['include-copyright', 'document-changes', 'disclose-source', 'same-license'];
const AS_IS = ['liability', 'warranty'];

/** By their keys, in this order. */
const COMMON_LICENSES: Readonly<Record<string, LicenseSummary>> = {
  'agpl-3.0': {
    description:
      'What is built on the work is published under the same licence, also where it is used over a network.',
    permissions: USE_AND_PATENTS,
    conditions: [
      'include-copyright',
      'document-changes',
      'disclose-source',
      'network-use-disclose',
      'same-license',
    ],
    limitations: AS_IS,
  },
  'apache-2.0': {
    description: 'Anything is allowed, with the notices kept; contributors grant rights to their patents.',
    permissions: USE_AND_PATENTS,
    conditions: ['include-copyright', 'document-changes'],
    limitations: ['trademark-use', ...AS_IS],
    isFeatured: true,
  },
  'bsd-2-clause': {
    description: 'Anything is allowed, with the notice kept.',
    permissions: USE,
    conditions: NOTICE,
    limitations: AS_IS,
  },
  'bsd-3-clause': {
    description:
      'Anything is allowed, with the notice kept, but no advertising with the names of the authors.',
    permissions: USE,
    conditions: NOTICE,
    limitations: AS_IS,
  },
  'bsl-1.0': {
    description: 'Anything is allowed; sources keep the notice, and programs need none.',
    permissions: USE,
    conditions: ['include-copyright--source'],
    limitations: AS_IS,
  },
  'cc0-1.0': {
    description: 'The authors give up their rights as far as they can.',
    permissions: USE,
    conditions: [],
    limitations: ['liability', 'trademark-use', 'patent-use', 'warranty'],
  },
  'epl-2.0': {
    description:
      'Changes of the work are published under the same licence; what is only linked with it need not be.',
    permissions: USE_AND_PATENTS,
    conditions: ['disclose-source', 'include-copyright', 'same-license'],
    limitations: AS_IS,
  },
  'gpl-2.0': {
    description: 'What is built on the work is passed on with its sources, under the same licence.',
    permissions: USE,
    conditions: COPYLEFT,
    limitations: AS_IS,
  },
  'gpl-3.0': {
    description:
      'What is built on the work is passed on with its sources, under the same licence, with rights to patents.',
    permissions: USE_AND_PATENTS,
    conditions: COPYLEFT,
    limitations: AS_IS,
    isFeatured: true,
  },
  'lgpl-2.1': {
    description:
      'Changes of the library are passed on under the same licence; programs that use it may have another.',
    permissions: USE,
    conditions: ['include-copyright', 'disclose-source', 'document-changes', 'same-license--library'],
    limitations: AS_IS,
  },
  mit: {
    description: 'Anything is allowed, with the notice kept.',
    permissions: USE,
    conditions: NOTICE,
    limitations: AS_IS,
    isFeatured: true,
  },
  'mpl-2.0': {
    description:
      'Changed files are published under the same licence; what stands beside them may have another.',
    permissions: USE_AND_PATENTS,
    conditions: ['disclose-source', 'include-copyright', 'same-license--file'],
    limitations: ['liability', 'trademark-use', 'warranty'],
  },
  unlicense: {
    description: 'The work is given to everybody, without conditions.',
    permissions: USE,
    conditions: [],
    limitations: AS_IS,
  },
};
