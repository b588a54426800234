import { describe, expect, test } from 'vitest'
import { isPublicAddress } from '../../src/dispatch/public-address.ts'

const REFUSED = [
  // unspecified, loopback, private, link-local, shared
  ['0.0.0.0', '0.1.2.3', '127.0.0.1', '127.255.255.254', '10.0.0.0', '10.255.255.255', '172.16.0.1', '172.31.255.255'],
  [
    '192.168.0.1',
    '192.168.255.255',
    '169.254.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.100.100.200',
    '100.127.255.255',
  ],
  // assigned for protocols, documentation, measurement, multicast, reserved, broadcast, a cloud's control address
  [
    '192.0.0.1',
    '192.0.0.192',
    '192.0.2.1',
    '192.88.99.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.10',
  ],
  ['224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.254', '255.255.255.255', '168.63.129.16', '192.31.196.1'],
  // IPv6: unspecified, loopback, unique local, link-local, site-local, multicast, discard, documentation
  [
    '::',
    '::1',
    'fc00::1',
    'fd00::1',
    'fd00:ec2::254',
    'fe80::1',
    'febf::1',
    'fec0::1',
    'feff::1',
    'ff02::1',
    'ff0e::1',
  ],
  ['100::1', '2001:db8::1', '3fff::1', '3fff:fff::1', '5f00::1', '4000::1', '8000::1', 'e000::1', '1::1'],
  // IPv4 inside IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo; with a public address inside too
  ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.5', '::ffff:8.8.8.8', '::127.0.0.1', '::7f00:1', '::8.8.8.8'],
  [
    '::ffff:0:127.0.0.1',
    '::ffff:0:8.8.8.8',
    '64:ff9b::7f00:1',
    '64:ff9b::10.0.0.5',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
  ],
  ['2002:7f00:1::', '2002:808:808::1', '2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:10::1', '2001:20::1'],
  ['2001:2::1', '2001:4:112::1', '2620:4f:8000::1'],
].flat()

const NO_ADDRESS = [
  [
    '',
    'localhost',
    'example.com',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.1',
    '127.0.1',
  ],
  ['8.8.8', '8.8.8.8.', '8.8.8.8.8', '08.8.8.8', '8.8.8.8/32', '1.1.1.256', '[::1]', '[2606:4700::1111]', '::1%lo'],
  [
    '2606:4700::1111%eth0',
    'fe80::1%25eth0',
    '１２７.0.0.1',
    '127。0。0。1',
    '8.8.8.8 ',
    ' 8.8.8.8',
    '8.8.8.8\n',
    '::g',
  ],
].flat()

const PUBLIC = ['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '93.184.216.34', '100.63.255.255', '100.128.0.0']
  .concat([
    '126.255.255.255',
    '128.0.0.1',
    '168.63.129.15',
    '168.63.129.17',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.1',
  ])
  .concat(['192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255', '2606:4700::1111'])
  .concat(['2001:200::1', '2001:4860:4860::8888', '2003::1', '2a00:1450:4001::200e', '2400:cb00::1', '2c0f:fb50::1'])

describe('public addresses', () => {
  // holds OUT-13
  test.each(REFUSED)('%s is refused', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  test.each(NO_ADDRESS)('%j is refused, for it is no canonical address', (text) => {
    expect(isPublicAddress(text)).toBe(false)
  })

  test.each(PUBLIC)('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })
})
