// The licences that a new repository may begin with: those that most people use, and each of the SPDX list.
import { Failure } from '../../kernel/failure.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { HostPageQuery, pageSliceOf } from '../list-query.ts';
import { findLicenseId, licenseNames, licenseOf, LicenseSimple } from './license.ts';
import { licenseTextOf } from './recognize-license.ts';
import { COMMON_LICENSES, type LicenseSummary } from './common-licenses.ts';

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
