// The tables of version changes fit the routes of their API.
import { test } from 'node:test';
import { actorsApi } from '../src/actors/api.ts';
import { flagsApi } from '../src/flags/api.ts';
import { hostApi } from '../src/host/api.ts';
import { checkVersions } from '../src/kernel/versions/check-versions.ts';

for (const { protocol, routes } of [flagsApi, actorsApi, hostApi])
  test(`every version change of ${protocol.name} matches a route, and no branches of a union look alike`, () => {
    checkVersions(
      routes.map(({ shape }) => shape),
      protocol.versions,
    );
  });
