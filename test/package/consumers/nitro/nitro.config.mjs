export default { preset: 'node', srcDir: 'server', compatibilityDate: '2026-01-01' };
