/** Time zones of countries, for phone numbers that say no more than their country. */

/**
 * Places of IANA zones, by their first part. A country with several zones stands with that of its capital, or of most
 * of its people. Countries of the North American numbering plan are known by area code.
 */
const placesByRegion: Readonly<Record<string, string>> = {
  Africa:
    'AO Luanda, BF Ouagadougou, BI Bujumbura, BJ Porto-Novo, BW Gaborone, CD Kinshasa, CF Bangui, ' +
    'CG Brazzaville, CI Abidjan, CM Douala, DJ Djibouti, DZ Algiers, EG Cairo, EH El_Aaiun, ER Asmara, ' +
    'ET Addis_Ababa, GA Libreville, GH Accra, GM Banjul, GN Conakry, GQ Malabo, GW Bissau, KE Nairobi, ' +
    'LR Monrovia, LS Maseru, LY Tripoli, MA Casablanca, ML Bamako, MR Nouakchott, MW Blantyre, ' +
    'MZ Maputo, NA Windhoek, NE Niamey, NG Lagos, RW Kigali, SD Khartoum, SL Freetown, SN Dakar, ' +
    'SO Mogadishu, SS Juba, ST Sao_Tome, SZ Mbabane, TD Ndjamena, TG Lome, TN Tunis, TZ Dar_es_Salaam, ' +
    'UG Kampala, ZA Johannesburg, ZM Lusaka, ZW Harare',
  America:
    'AR Argentina/Buenos_Aires, AW Aruba, BL St_Barthelemy, BO La_Paz, BQ Kralendijk, BR Sao_Paulo, ' +
    'BZ Belize, CL Santiago, CO Bogota, CR Costa_Rica, CU Havana, CW Curacao, EC Guayaquil, GF Cayenne, ' +
    'GL Nuuk, GP Guadeloupe, GT Guatemala, GY Guyana, HN Tegucigalpa, HT Port-au-Prince, MF Marigot, ' +
    'MQ Martinique, MX Mexico_City, NI Managua, PA Panama, PE Lima, PM Miquelon, PY Asuncion, ' +
    'SR Paramaribo, SV El_Salvador, UY Montevideo, VE Caracas',
  Asia:
    'AE Dubai, AF Kabul, AM Yerevan, AZ Baku, BD Dhaka, BH Bahrain, BN Brunei, BT Thimphu, CN Shanghai, ' +
    'CY Nicosia, GE Tbilisi, HK Hong_Kong, ID Jakarta, IL Jerusalem, IN Kolkata, IQ Baghdad, IR Tehran, ' +
    'JO Amman, JP Tokyo, KG Bishkek, KH Phnom_Penh, KP Pyongyang, KR Seoul, KW Kuwait, KZ Almaty, ' +
    'LA Vientiane, LB Beirut, LK Colombo, MM Yangon, MN Ulaanbaatar, MO Macau, MY Kuala_Lumpur, ' +
    'NP Kathmandu, OM Muscat, PH Manila, PK Karachi, PS Hebron, QA Qatar, SA Riyadh, SG Singapore, ' +
    'SY Damascus, TH Bangkok, TJ Dushanbe, TL Dili, TM Ashgabat, TW Taipei, UZ Tashkent, VN Ho_Chi_Minh, ' +
    'YE Aden',
  Atlantic: 'AC St_Helena, CV Cape_Verde, FK Stanley, FO Faroe, IS Reykjavik, SH St_Helena, TA St_Helena',
  Australia: 'AU Sydney',
  Europe:
    'AD Andorra, AL Tirane, AT Vienna, AX Mariehamn, BA Sarajevo, BE Brussels, BG Sofia, BY Minsk, ' +
    'CH Zurich, CZ Prague, DE Berlin, DK Copenhagen, EE Tallinn, ES Madrid, FI Helsinki, FR Paris, ' +
    'GB London, GG Guernsey, GI Gibraltar, GR Athens, HR Zagreb, HU Budapest, IE Dublin, IM Isle_of_Man, ' +
    'IT Rome, JE Jersey, LI Vaduz, LT Vilnius, LU Luxembourg, LV Riga, MC Monaco, MD Chisinau, ' +
    'ME Podgorica, MK Skopje, MT Malta, NL Amsterdam, NO Oslo, PL Warsaw, PT Lisbon, RO Bucharest, ' +
    'RS Belgrade, RU Moscow, SE Stockholm, SI Ljubljana, SJ Oslo, SK Bratislava, SM San_Marino, ' +
    'TR Istanbul, UA Kyiv, VA Vatican, XK Belgrade',
  Indian:
    'CC Cocos, CX Christmas, IO Chagos, KM Comoro, MG Antananarivo, MU Mauritius, MV Maldives, ' +
    'RE Reunion, SC Mahe, YT Mayotte',
  Pacific:
    'CK Rarotonga, FJ Fiji, FM Chuuk, KI Tarawa, MH Majuro, NC Noumea, NF Norfolk, NR Nauru, NU Niue, ' +
    'NZ Auckland, PF Tahiti, PG Port_Moresby, PW Palau, SB Guadalcanal, TK Fakaofo, TO Tongatapu, ' +
    'TV Funafuti, VU Efate, WF Wallis, WS Apia',
}

const zoneByCountry = new Map(
  Object.entries(placesByRegion).flatMap(([region, places]) =>
    places.split(', ').map((entry) => [entry.slice(0, 2), `${region}/${entry.slice(3)}`] as const),
  ),
)

/** By its ISO 3166 code. */
export function zoneOfCountry(country: string): string | undefined {
  return zoneByCountry.get(country)
}
