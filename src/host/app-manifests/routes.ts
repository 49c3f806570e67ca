// The conversion of an app manifest: the caller who has the code gets the app's keys.
import { reply, route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { convertManifest } from './convert-manifest.ts';
import { ManifestConversion, toManifestConversion } from './model.ts';

const createFromManifest = route(
  {
    id: 'apps/create-from-manifest',
    method: 'POST',
    path: '/app-manifests/{code}/conversions',
    summary: 'Turn the code of an app manifest into an app',
    description:
      'Needs no token. A code is good once, for an hour, and comes with the redirect after somebody has agreed to a manifest. ' +
      'The secrets and the private key are shown here only.',
    access: 'anyone',
    params: Type.Object({ code: Type.String() }),
    reply: { 201: ManifestConversion },
    limit: 'integration_manifest',
    cache: 'never',
  },
  async ({ params, now, base }, kernel) =>
    reply(201, toManifestConversion(await convertManifest(kernel, params.code, now), base), {
      'cache-control': 'no-store',
    }),
);

export const appManifestRoutes = [createFromManifest];
