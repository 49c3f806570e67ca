// Whether SDKs have connected to an environment lately.
import { route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { ByEnvironment, openEnvironment } from '../find-project.ts';
import { Links, linkTo } from '../links.ts';
import { storedNamesOf } from './sdk-names.ts';
import { hasActivity } from './store.ts';

const Name = (description: string) => Type.Optional(Type.String({ maxLength: 100, description }));

const getSdkActive = route(
  {
    id: 'getSdkActive',
    method: 'GET',
    path: '/projects/{projectKey}/environments/{environmentKey}/sdk-active',
    summary: 'Tell whether SDKs have connected to an environment in the last seven days',
    access: { action: 'viewProject' },
    params: ByEnvironment,
    query: Type.Object({
      sdk_name: Name('Only this SDK, like `node-server-sdk`, or as it names itself: `NodeJSClient`'),
      sdk_wrapper_name: Name('Only SDKs inside of this library'),
    }),
    reply: { 200: Type.Object({ active: Type.Boolean(), _links: Links }, { $id: 'SdkActive' }) },
  },
  async (call, { db, services }) => {
    const { params, query, now } = call;
    const { project, environment } = await openEnvironment(
      call,
      db,
      params.projectKey,
      params.environmentKey,
    );
    await services.sdkActivity.save();
    const at = `/projects/${project.key}/environments/${environment.key}`;
    return {
      active: await hasActivity(db, {
        environmentId: environment.id,
        sdks: query.sdk_name === undefined ? undefined : storedNamesOf(query.sdk_name),
        wrapper: query.sdk_wrapper_name?.toLowerCase(),
        now,
      }),
      _links: { self: linkTo(`${at}/sdk-active`), parent: linkTo(at) },
    };
  },
);

export const sdkActivityRoutes = [getSdkActive];
