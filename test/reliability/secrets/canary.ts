/** The beginning of every canary: a part of one is a leak too. */
export const SONG = 'c4n4ry';

/** A secret for one place, by which a leak tells where it comes from. Such a one can stand in a header. */
export const canary = (place: string): string => `${SONG}-${place}-9e107d9d372bb6826bd81d3542a419d6`;

/** The marked fields of DESIGN.md, each with a canary of its own, and the values of an environment variable. */
export const markedFields = {
  ...Object.fromEntries(
    [
      'dashboardPassword',
      'magicCode',
      'usedSecret',
      'FB_PUSH_TOKEN',
      'serverUrlSecret',
      'workspaceSecret',
      'sessionKey',
      'listenUrl',
    ].map((name) => [name, canary(name)]),
  ),
  isEnv: true,
  value: canary('value'),
  defaultValue: { deep: [canary('defaultValue')] },
};
