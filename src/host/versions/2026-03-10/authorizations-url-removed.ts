// Row 7 of the catalogue: the API root no longer names the authorizations endpoint.
import { change } from '../../../kernel/versions/version.ts';
import { Type } from '../../../kernel/schema/schema.ts';
import { DIFFERENCES } from '../../absent-parts.ts';
import { Root } from '../../root/model.ts';
import { siteOf } from '../../site.ts';

export const authorizationsUrlRemoved = change({
  version: '2026-03-10',
  title: 'Field `authorizations_url` removed from the API root',
  advice: 'Do not read it: the endpoint that it named is gone.',
  schema: Root,
  before: Type.Object({ ...Root.properties, authorizations_url: Type.String() }, { $id: 'root' }),
  down: (root) => {
    const base = root.current_user_url.slice(0, -'/user'.length);
    return { ...root, authorizations_url: siteOf(base) + DIFFERENCES };
  },
});
