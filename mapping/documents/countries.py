"""Country codes of sport: three letters of IOC, FIFA or ISO 3166-1 to the two letters that the interface has.

The interface wants ISO 3166-1 alpha-2, in which England, Scotland, Wales and Northern Ireland are `GB`. Kosovo has the code
that everybody uses for it, `XK`. `BRN` is Bahrain, as the IOC has it, and not Brunei, as ISO 3166-1 does.
"""

from __future__ import annotations

from collections.abc import Mapping

HOME_NATIONS = ("ENG", "SCO", "WAL", "NIR")

_OF_SPORT = """
    ALG=DZ  ANG=AO  ANT=AG  ARU=AW  ASA=AS  BAH=BS  BAN=BD  BAR=BB  BER=BM  BHU=BT  BIZ=BZ  BOE=BQ  BOT=BW  BRN=BH
    BRU=BN  BUL=BG  BUR=BF  CAM=KH  CAY=KY  CGO=CG  CHA=TD  CHI=CL  CRC=CR  CRO=HR  CTA=CF  DEN=DK  EQG=GQ  ESA=SV
    FAR=FO  FIJ=FJ  GAM=GM  GBS=GW  GEQ=GQ  GER=DE  GRE=GR  GRN=GD  GUA=GT  GUE=GG  GUI=GN  GYF=GF  HAI=HT  HON=HN
    INA=ID  IOM=IM  IRI=IR  ISV=VI  IVB=VG  JER=JE  KOS=XK  KSA=SA  KUW=KW  KVX=XK  LAT=LV  LBA=LY  LES=LS  LIB=LB
    MAD=MG  MAS=MY  MAW=MW  MGL=MN  MON=MC  MRI=MU  MTN=MR  MYA=MM  NCA=NI  NCL=NC  NED=NL  NEP=NP  NGR=NG  NIG=NE
    NMI=MP  OMA=OM  PAR=PY  PHI=PH  PLE=PS  POR=PT  PUR=PR  ROM=RO  RSA=ZA  SAM=WS  SEY=SC  SIN=SG  SKN=KN  SLO=SI
    SOL=SB  SRI=LK  SUD=SD  SUI=CH  TAH=PF  TAN=TZ  TGA=TO  TOG=TG  TPE=TW  TRI=TT  UAE=AE  URU=UY  VAN=VU  VIE=VN
    VIN=VC  ZAM=ZM  ZIM=ZW
"""
"""IOC and FIFA, where they differ from ISO."""

_OF_ISO = """
    ABW=AW  AFG=AF  AGO=AO  AIA=AI  ALA=AX  ALB=AL  AND=AD  ARE=AE  ARG=AR  ARM=AM  ASC=AC  ASM=AS  ATA=AQ  ATF=TF
    ATG=AG  AUS=AU  AUT=AT  AZE=AZ  BDI=BI  BEL=BE  BEN=BJ  BES=BQ  BFA=BF  BGD=BD  BGR=BG  BHR=BH  BHS=BS  BIH=BA
    BLM=BL  BLR=BY  BLZ=BZ  BMU=BM  BOL=BO  BRA=BR  BRB=BB  BTN=BT  BVT=BV  BWA=BW  CAF=CF  CAN=CA  CCK=CC  CHE=CH
    CHL=CL  CHN=CN  CIV=CI  CMR=CM  COD=CD  COG=CG  COK=CK  COL=CO  COM=KM  CPV=CV  CRI=CR  CUB=CU  CUW=CW  CXR=CX
    CYM=KY  CYP=CY  CZE=CZ  DEU=DE  DJI=DJ  DMA=DM  DNK=DK  DOM=DO  DZA=DZ  ECU=EC  EGY=EG  ERI=ER  ESH=EH  ESP=ES
    EST=EE  ETH=ET  FIN=FI  FJI=FJ  FLK=FK  FRA=FR  FRO=FO  FSM=FM  GAB=GA  GBR=GB  GEO=GE  GGY=GG  GHA=GH  GIB=GI
    GIN=GN  GLP=GP  GMB=GM  GNB=GW  GNQ=GQ  GRC=GR  GRD=GD  GRL=GL  GTM=GT  GUF=GF  GUM=GU  GUY=GY  HKG=HK  HMD=HM
    HND=HN  HRV=HR  HTI=HT  HUN=HU  IDN=ID  IMN=IM  IND=IN  IOT=IO  IRL=IE  IRN=IR  IRQ=IQ  ISL=IS  ISR=IL  ITA=IT
    JAM=JM  JEY=JE  JOR=JO  JPN=JP  KAZ=KZ  KEN=KE  KGZ=KG  KHM=KH  KIR=KI  KNA=KN  KOR=KR  KWT=KW  LAO=LA  LBN=LB
    LBR=LR  LBY=LY  LCA=LC  LIE=LI  LKA=LK  LSO=LS  LTU=LT  LUX=LU  LVA=LV  MAC=MO  MAF=MF  MAR=MA  MCO=MC  MDA=MD
    MDG=MG  MDV=MV  MEX=MX  MHL=MH  MKD=MK  MLI=ML  MLT=MT  MMR=MM  MNE=ME  MNG=MN  MNP=MP  MOZ=MZ  MRT=MR  MSR=MS
    MTQ=MQ  MUS=MU  MWI=MW  MYS=MY  MYT=YT  NAM=NA  NER=NE  NFK=NF  NGA=NG  NIC=NI  NIU=NU  NLD=NL  NOR=NO  NPL=NP
    NRU=NR  NZL=NZ  OMN=OM  PAK=PK  PAN=PA  PCN=PN  PER=PE  PHL=PH  PLW=PW  PNG=PG  POL=PL  PRI=PR  PRK=KP  PRT=PT
    PRY=PY  PSE=PS  PYF=PF  QAT=QA  REU=RE  ROU=RO  RUS=RU  RWA=RW  SAU=SA  SDN=SD  SEN=SN  SGP=SG  SGS=GS  SHN=SH
    SJM=SJ  SLB=SB  SLE=SL  SLV=SV  SMR=SM  SOM=SO  SPM=PM  SRB=RS  SSD=SS  STP=ST  SUR=SR  SVK=SK  SVN=SI  SWE=SE
    SWZ=SZ  SXM=SX  SYC=SC  SYR=SY  TCA=TC  TCD=TD  TGO=TG  THA=TH  TJK=TJ  TKL=TK  TKM=TM  TLS=TL  TON=TO  TTO=TT
    TUN=TN  TUR=TR  TUV=TV  TWN=TW  TZA=TZ  UGA=UG  UKR=UA  UMI=UM  URY=UY  USA=US  UZB=UZ  VAT=VA  VCT=VC  VEN=VE
    VGB=VG  VIR=VI  VNM=VN  VUT=VU  WLF=WF  WSM=WS  YEM=YE  ZAF=ZA  ZMB=ZM  ZWE=ZW
"""


def _table(*texts: str) -> Mapping[str, str]:
    return {pair[:3]: pair[4:] for text in texts for pair in text.split()}


ALPHA2: Mapping[str, str] = {**_table(_OF_ISO, _OF_SPORT), **dict.fromkeys(HOME_NATIONS, "GB")}
"""Three letters → two."""
COUNTRIES = frozenset(ALPHA2.values())
"""All codes of two letters."""


def alpha2(code: str | None) -> str | None:
    """The ISO 3166-1 alpha-2 code for a code of two or three letters in any case, None for what is neither.

    `GER` is `DE`, `eng` is `GB`.
    """
    letters = (code or "").strip().upper()
    return letters if letters in COUNTRIES else ALPHA2.get(letters)
