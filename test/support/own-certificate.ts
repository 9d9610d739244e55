import { generateKeyPairSync, sign } from 'node:crypto';

/** Encodes one DER value of up to 255 bytes. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const length = content.length < 128 ? [content.length] : [0x81, content.length];
  return Buffer.concat([Uint8Array.of(tag, ...length), content]);
}

const SEQUENCE = 0x30;
const BIT_STRING = 0x03;
const time = (text: string) => der(0x17, Buffer.from(text));
const serial = der(0x02, Uint8Array.of(1));
const nobody = der(SEQUENCE);
const ed25519 = der(SEQUENCE, Buffer.from('06032b6570', 'hex'));

/** X.509 version 3, which has extensions: here the host name of the certificate. */
const version3 = der(0xa0, der(0x02, Uint8Array.of(2)));
const names = der(0x04, der(SEQUENCE, der(0x82, Buffer.from('localhost'))));
const ofLocalhost = der(0xa3, der(SEQUENCE, der(SEQUENCE, Buffer.from('0603551d11', 'hex'), names)));
const validity = der(SEQUENCE, time('200101000000Z'), time('491231235959Z'));

/** Creates a key, and a self-signed certificate for `localhost`. */
export function ownCertificate(): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const own = [serial, ed25519, nobody, validity, nobody, spki];
  const content = der(SEQUENCE, version3, ...own, ofLocalhost);
  const signature = der(BIT_STRING, Uint8Array.of(0), sign(null, content, privateKey));
  const certificate = der(SEQUENCE, content, ed25519, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`,
  };
}
